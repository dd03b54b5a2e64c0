package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FragmentStreamValidatorTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "valid")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("a", CqlTypes.INT, Column.Kind.REGULAR)
            .column("m", CqlTypes.map(CqlTypes.INT, CqlTypes.INT), Column.Kind.REGULAR)
            .build();
    private static final List<DecoratedKey> KEYS = Stream.of(1, 2)
            .map(i -> DecoratedKey.of(new byte[] {i.byteValue()}))
            .sorted()
            .toList();
    private static final DeletionTime DELETED = new DeletionTime(5, 100);

    private static Clustering at(int c) {
        return Clustering.of(new byte[] {0, 0, 0, (byte) c});
    }

    private static Row row(int c) {
        Row row = new Row();
        row.clustering().wrap(at(c));
        row.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(new byte[4], 0, 4);
        return row;
    }

    private static MemoryPartition partition(int key, Object... clustered) {
        return new MemoryPartition(KEYS.get(key), DeletionTime.LIVE, null, List.of(clustered));
    }

    private static MemoryPartition.Change change(int c, DeletionTime deletion) {
        return new MemoryPartition.Change(at(c), ClusteringComparator.BEFORE, deletion);
    }

    private static MemoryCursor cursor(MemoryPartition... partitions) {
        return new MemoryCursor(SCHEMA, List.of(partitions));
    }

    private static void assertInvalid(FragmentCursor cursor, String reason) {
        assertThatThrownBy(() -> StreamText.of(cursor))
                .isInstanceOf(InvalidStreamException.class)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldPassOnAValidStream() throws IOException {
        MemoryCursor inner =
                cursor(partition(0, row(1), change(2, DELETED), row(2), change(3, DeletionTime.LIVE)), partition(1));
        assertThat(StreamText.of(inner)).hasSize(8);
        assertThat(inner.isClosed()).isFalse();
        FragmentStreamValidator.of(inner).close();
        assertThat(inner.isClosed()).isTrue();
    }

    @Test
    void shouldAllowSkipping() throws IOException {
        FragmentStreamValidator cursor = FragmentStreamValidator.of(
                cursor(partition(0, change(1, DELETED), row(2), change(3, DeletionTime.LIVE)), partition(1, row(1))));
        cursor.advance();
        cursor.advance();
        cursor.nextPartition();
        assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
        cursor.forwardTo(Long.MAX_VALUE);
        assertThat(cursor.advance()).isNull();
    }

    @Test
    void shouldRefusePartitionsOutOfOrder() {
        assertInvalid(cursor(partition(1), partition(0)), "partitions out of order");
        assertInvalid(cursor(partition(1), partition(1)), "partitions out of order");
    }

    @Test
    void shouldRefuseClusteringsOutOfOrder() {
        assertInvalid(cursor(partition(0, row(2), row(1))), "clusterings out of order");
        assertInvalid(cursor(partition(0, row(2), row(2))), "clusterings out of order");
        assertInvalid(cursor(partition(0, row(2), change(2, DELETED))), "clusterings out of order");
    }

    @Test
    void shouldRefuseAnOpenDeletionAtTheEnd() {
        assertInvalid(cursor(partition(0, change(1, DELETED))), "range deletion is open");
    }

    @Test
    void shouldRefuseARepeatedDeletion() {
        assertInvalid(cursor(partition(0, change(1, DeletionTime.LIVE))), "change repeats the open deletion");
        assertInvalid(cursor(partition(0, change(1, DELETED), change(2, DELETED))), "change repeats");
    }

    @Test
    void shouldRefuseFragmentsWhereTheGrammarHasNone() {
        MemoryPartition partition = partition(0);
        assertInvalid(cursor().with(FragmentKind.CLUSTERING_ROW, partition, row(1)), "fragment is not allowed here");
        assertInvalid(cursor().with(FragmentKind.PARTITION_START, partition, null), "fragment is not allowed here");
        Row staticRow = new Row();
        staticRow.clear(true);
        assertInvalid(
                cursor().with(FragmentKind.PARTITION_START, partition, null)
                        .with(FragmentKind.CLUSTERING_ROW, partition, row(1))
                        .with(FragmentKind.STATIC_ROW, partition, staticRow),
                "previous=CLUSTERING_ROW, current=STATIC_ROW");
        assertInvalid(
                cursor().with(FragmentKind.PARTITION_START, partition, null)
                        .with(FragmentKind.STATIC_ROW, partition, row(1)),
                "row is not what its fragment says");
    }

    @Test
    void shouldRefuseRowsThatDoNotFitTheSchema() {
        Row unknown = row(1);
        unknown.addCell(2, 1, Row.NO_TTL, 5);
        assertInvalid(cursor(partition(0, unknown)), "columnIndex=2, columnCount=2");
        Row repeated = row(1);
        repeated.addCell(0, 1, Row.NO_TTL, 5);
        assertInvalid(cursor(partition(0, repeated)), "entries out of order");
        Row pathless = row(1);
        pathless.addCell(1, 1, Row.NO_TTL, 5);
        assertInvalid(cursor(partition(0, pathless)), "entry does not fit its column");
        Row late = row(1);
        late.addCell(1, 1, Row.NO_TTL, 5);
        late.path(new byte[4], 0, 4);
        late.addComplexDeletion(1, 1, 5);
        assertInvalid(cursor(partition(0, late)), "entries out of order");
        Row prefix = row(1);
        prefix.clustering().reset(new byte[0]);
        assertInvalid(cursor(partition(0, prefix)), "clustering has a wrong number of components");
        Row timeless = new Row();
        timeless.clustering().wrap(at(1));
        timeless.addCell(0, 1, 60, DeletionTime.NO_DELETION_TIME);
        assertInvalid(cursor(partition(0, timeless)), "cell has a TTL and no expiry");
    }

    @Test
    void shouldCheckValuesOnlyWhenAsked() throws IOException {
        Row wrong = new Row();
        wrong.clustering().wrap(at(1));
        wrong.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        wrong.value(new byte[3], 0, 3);
        assertInvalid(cursor(partition(0, wrong)), "value is not of its type, column=a");
        FragmentStreamValidator cursor = FragmentStreamValidator.of(cursor(partition(0, wrong)));
        cursor.advance();
        assertThat(cursor.advance()).isEqualTo(FragmentKind.CLUSTERING_ROW);
    }
}
