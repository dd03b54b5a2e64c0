package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ItemCursorTest {
    private static final int BEFORE = ClusteringComparator.BEFORE;
    private static final int AFTER = ClusteringComparator.AFTER;
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "items")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.BLOB, Column.Kind.CLUSTERING)
            .column("s", CqlTypes.BLOB, Column.Kind.STATIC)
            .column("a", CqlTypes.BLOB, Column.Kind.REGULAR)
            .build();

    private final CanonicalEncoder encoder = new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED);
    private final ByteWriter out = new ByteWriter(16);
    private DecoratedKey first;
    private DecoratedKey second;
    private DecoratedKey third;

    @BeforeEach
    void order() {
        TreeSet<DecoratedKey> keys = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
            keys.add(DecoratedKey.of(new byte[] {(byte) i}));
        }
        first = keys.pollFirst();
        second = keys.pollFirst();
        third = keys.pollFirst();
    }

    private static Clustering at(int c) {
        return Clustering.of(new byte[] {(byte) c});
    }

    private void row(DecoratedKey key, int c) {
        Row row = new Row();
        row.clustering().wrap(at(c));
        row.liveness(c, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        encoder.row(new KeyView().wrap(key), row, out);
    }

    private void staticRow(DecoratedKey key) {
        Row row = new Row();
        row.clear(true);
        row.addCell(0, 1, Row.NO_TTL, 5);
        encoder.row(new KeyView().wrap(key), row, out);
    }

    private void range(
            DecoratedKey key, Clustering start, int startWeight, Clustering end, int endWeight, long micros) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(start);
        range.end().wrap(end);
        range.weights(startWeight, endWeight);
        range.deletion(micros, 100);
        encoder.rangeDeletion(new KeyView().wrap(key), range, out);
    }

    private ItemCursor cursor() {
        return new ItemCursor(SCHEMA, ItemSource.of(out.array(), 0, out.lengthBytes()));
    }

    @Test
    void shouldBeEmptyWithoutItems() throws IOException {
        assertThat(StreamText.of(cursor())).isEmpty();
    }

    @Test
    void shouldStreamItemsAsFragments() throws IOException {
        encoder.partitionDeletion(new KeyView().wrap(first), 7, 100, out);
        staticRow(second);
        row(second, 1);
        range(second, at(2), BEFORE, at(4), BEFORE, 8);
        row(second, 3);
        range(second, at(4), BEFORE, at(5), AFTER, 9);
        range(second, at(5), AFTER, at(6), AFTER, 9);
        row(second, 6);
        row(second, 7);
        range(second, at(8), BEFORE, Clustering.of(), AFTER, 8);
        row(third, 0);
        assertThat(StreamText.of(cursor()))
                .containsExactly(
                        "partition " + first + " deleted@7/100",
                        "end",
                        "partition " + second + " live",
                        "static | #0@1 tombstone/5",
                        "row [01] live@1",
                        "change before[02] deleted@8/100",
                        "row [03] live@3",
                        "change before[04] deleted@9/100",
                        "row [06] live@6",
                        "change after[06] live",
                        "row [07] live@7",
                        "change before[08] deleted@8/100",
                        "change after[] live",
                        "end",
                        "partition " + third + " live",
                        "row [00] live@0",
                        "end");
    }

    @Test
    void shouldSkipPartitionsAndForward() throws IOException {
        for (DecoratedKey key : List.of(first, second, third)) {
            range(key, at(1), BEFORE, at(9), AFTER, 8);
            row(key, 3);
            row(key, 4);
        }
        ItemCursor cursor = cursor();
        cursor.advance();
        cursor.advance();
        cursor.nextPartition();
        assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
        assertThat(cursor.key().toDecoratedKey()).isEqualTo(second);
        cursor.forwardTo(second.token());
        assertThat(cursor.advance()).isEqualTo(FragmentKind.RANGE_TOMBSTONE_CHANGE);
        cursor.forwardTo(third.token());
        assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
        assertThat(cursor.key().toDecoratedKey()).isEqualTo(third);
        ItemCursor fresh = cursor();
        fresh.forwardTo(third.token());
        fresh.advance();
        assertThat(fresh.key().toDecoratedKey()).isEqualTo(third);
    }

    @Test
    void shouldReadItemsThatCameInAnyOrderOnceSorted() throws IOException {
        row(third, 0);
        range(second, at(2), BEFORE, at(4), AFTER, 8);
        row(second, 3);
        row(second, 2);
        staticRow(second);
        row(second, 1);
        encoder.partitionDeletion(new KeyView().wrap(second), 1, 100, out);
        encoder.partitionDeletion(new KeyView().wrap(first), 7, 100, out);
        SortedItems items = new SortedItems(SCHEMA);
        for (int offset = 0; offset < out.lengthBytes(); ) {
            offset = items.add(out.array(), offset, out.lengthBytes());
        }
        assertThat(items.size()).isEqualTo(8);
        assertThat(StreamText.of(new ItemCursor(SCHEMA, items)))
                .containsExactly(
                        "partition " + first + " deleted@7/100",
                        "end",
                        "partition " + second + " deleted@1/100",
                        "static | #0@1 tombstone/5",
                        "row [01] live@1",
                        "change before[02] deleted@8/100",
                        "row [02] live@2",
                        "row [03] live@3",
                        "change after[04] live",
                        "end",
                        "partition " + third + " live",
                        "row [00] live@0",
                        "end");
    }

    private void assertCorrupt(String reason) {
        assertThatThrownBy(() -> StreamText.of(cursor()))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldRefusePartitionsOutOfOrder() {
        row(second, 1);
        row(first, 1);
        assertCorrupt("partitions are out of order");
    }

    @Test
    void shouldRefuseRowsOutOfOrder() {
        row(first, 2);
        row(first, 1);
        assertCorrupt("items are out of order");
    }

    @Test
    void shouldRefuseAStaticRowBehindRows() {
        row(first, 2);
        staticRow(first);
        assertCorrupt("previous=CLUSTERING_ROW, current=STATIC_ROW");
    }

    @Test
    void shouldRefuseRepeatedPartitionDeletions() {
        encoder.partitionDeletion(new KeyView().wrap(first), 7, 100, out);
        encoder.partitionDeletion(new KeyView().wrap(first), 8, 100, out);
        assertCorrupt("items are out of order");
    }

    @Test
    void shouldRefuseOverlappingRangeDeletions() {
        range(first, at(1), BEFORE, at(5), AFTER, 8);
        range(first, at(2), BEFORE, at(6), AFTER, 8);
        assertCorrupt("range deletions overlap");
    }

    @Test
    void shouldRefuseARangeThatEndsBeforeItStarts() {
        range(first, at(5), BEFORE, at(5), BEFORE, 8);
        assertCorrupt("range ends before it starts");
    }

    @Test
    void shouldRefuseALastItemThatIsCut() {
        row(first, 1);
        row(first, 2);
        out.truncate(out.lengthBytes() - 1);
        assertCorrupt("length does not fit");
    }
}
