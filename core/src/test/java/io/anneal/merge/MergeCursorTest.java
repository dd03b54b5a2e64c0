package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.MemoryCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.fragment.StreamText;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeCursorTest {
    private static final DecoratedKey KEY = DecoratedKey.of(new byte[] {1});
    private static final int A = 0;
    private static final int B = 1;

    private static Row row(int c) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[] {(byte) c}, new byte[] {1}));
        return row;
    }

    private static Row cell(Row row, int column, long micros, int value) {
        row.addCell(column, micros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(new byte[] {(byte) value}, 0, 1);
        return row;
    }

    private static MemoryPartition.Change change(int c, int weight, long micros) {
        return new MemoryPartition.Change(Clustering.of(new byte[] {(byte) c}), weight, new DeletionTime(micros, 100));
    }

    private static MemoryPartition.Change close(int c, int weight) {
        return new MemoryPartition.Change(Clustering.of(new byte[] {(byte) c}), weight, DeletionTime.LIVE);
    }

    private static List<MemoryPartition> source(Object... clustered) {
        return source(DeletionTime.LIVE, clustered);
    }

    private static List<MemoryPartition> source(DeletionTime deletion, Object... clustered) {
        return List.of(new MemoryPartition(KEY, deletion, null, List.of(clustered)));
    }

    @SafeVarargs
    private static MergeCursor merge(List<MemoryPartition>... sources) {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (List<MemoryPartition> source : sources) {
            cursors.add(new MemoryCursor(TinyTable.SCHEMA, source));
        }
        return MergeCursor.of(TinyTable.SCHEMA, cursors);
    }

    /** Fragments of the one partition, without its start and end. */
    @SafeVarargs
    private static List<String> fragments(List<MemoryPartition>... sources) throws IOException {
        List<String> lines = StreamText.of(merge(sources));
        assertThat(lines).first().asString().startsWith("partition");
        return lines.subList(1, lines.size() - 1);
    }

    @Test
    void shouldBeEmptyWithoutSources() throws IOException {
        MergeCursor cursor = merge();
        assertThat(cursor.advance()).isNull();
        assertThat(cursor.kind()).isNull();
        cursor.close();
    }

    @Test
    void shouldSplitARangeDeletionAroundAYoungerOneFromAnotherSource() throws IOException {
        List<String> expected = List.of(
                "change before[01] deleted@5/100",
                "change before[03] deleted@9/100",
                "change after[04] deleted@5/100",
                "change after[09] live");
        List<MemoryPartition> outer = source(change(1, -1, 5), close(9, 1));
        List<MemoryPartition> inner = source(change(3, -1, 9), close(4, 1));
        List<MemoryPartition> compacted = source(change(1, -1, 5), change(3, -1, 9), change(4, 1, 5), close(9, 1));
        assertThat(fragments(outer, inner)).isEqualTo(expected);
        assertThat(fragments(inner, outer)).isEqualTo(expected);
        assertThat(fragments(compacted)).isEqualTo(expected);
        assertThat(fragments(compacted, outer, inner)).isEqualTo(expected);
        List<MemoryPartition> older = source(change(3, -1, 4), close(4, 1));
        assertThat(fragments(outer, older)).containsExactly("change before[01] deleted@5/100", "change after[09] live");
    }

    @Test
    void shouldJoinAdjacentEqualRangeDeletions() throws IOException {
        assertThat(fragments(source(change(1, -1, 5), close(4, 1)), source(change(4, 1, 5), close(6, 1))))
                .containsExactly("change before[01] deleted@5/100", "change after[06] live");
    }

    @Test
    void shouldShadowFromTheOutsideIn() throws IOException {
        Row shadowed = cell(row(2), A, 5, 1);
        Row survivor = cell(row(3), A, 6, 1);
        assertThat(fragments(source(new DeletionTime(5, 100)), source(shadowed, survivor)))
                .containsExactly("row [03, 01] | #0@6=01");
        assertThat(fragments(source(change(1, -1, 5), close(9, 1)), source(shadowed, survivor)))
                .containsExactly("change before[01] deleted@5/100", "row [03, 01] | #0@6=01", "change after[09] live");
        Row deleted = row(2);
        deleted.deletion(5, 100, false);
        assertThat(fragments(source(deleted), source(shadowed, survivor)))
                .containsExactly("row [02, 01] deleted@5/100", "row [03, 01] | #0@6=01");
        assertThat(fragments(source(new DeletionTime(5, 100)), source(deleted, survivor)))
                .as("an equal inner deletion is dropped")
                .containsExactly("row [03, 01] | #0@6=01");
    }

    @Test
    void shouldNormaliseASingleSource() throws IOException {
        Row row = cell(row(2), A, 5, 1);
        row.deletion(5, 100, false);
        row.addComplexDeletion(2, 5, 100);
        assertThat(fragments(source(row))).containsExactly("row [02, 01] deleted@5/100");
    }

    @Test
    void shouldSkipPartitionsOfWhichNothingIsLeft() throws IOException {
        assertThat(StreamText.of(merge(source()))).isEmpty();
        // Column b was dropped at 3.
        assertThat(StreamText.of(merge(source(cell(row(1), B, 3, 1)), source(cell(row(1), B, 2, 2)))))
                .isEmpty();
        assertThat(fragments(source(cell(row(1), B, 4, 1)))).containsExactly("row [01, 01] | #1@4=01");
    }

    @Test
    void shouldLetNewerLivenessUndoAShadowableDeletionOnly() throws IOException {
        Row shadowable = row(1);
        shadowable.deletion(10, 100, true);
        Row live = row(1);
        live.liveness(12, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        Row regular = row(1);
        regular.deletion(5, 100, false);
        Row old = cell(cell(row(1), A, 4, 1), B, 8, 2);
        assertThat(fragments(source(shadowable), source(old)))
                .containsExactly("row [01, 01] deleted@10/100 shadowable");
        assertThat(fragments(source(shadowable), source(live), source(old)))
                .containsExactly("row [01, 01] live@12 | #0@4=01 | #1@8=02");
        assertThat(fragments(source(shadowable), source(live), source(regular), source(old)))
                .as("what the undone deletion outdid counts again")
                .containsExactly("row [01, 01] live@12 deleted@5/100 | #1@8=02");
    }

    /** 1.0 and 1.00: equal, with different bytes. */
    @Test
    void shouldTakeTheLeastBytesOfEqualClusteringsAndPathsInAnyOrder() throws IOException {
        TableSchema decimals = TableSchema.builder("ks", "decimals")
                .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
                .column("c", CqlTypes.DECIMAL, Column.Kind.CLUSTERING)
                .column("m", CqlTypes.map(CqlTypes.DECIMAL, CqlTypes.BLOB), Column.Kind.REGULAR)
                .build();
        List<MemoryPartition> shorter = source(new Object[] {decimalRow(new byte[] {0, 0, 0, 1, 10})});
        List<MemoryPartition> longer = source(new Object[] {decimalRow(new byte[] {0, 0, 0, 2, 100})});
        for (List<List<MemoryPartition>> sources : List.of(List.of(shorter, longer), List.of(longer, shorter))) {
            List<FragmentCursor> cursors = new ArrayList<>();
            sources.forEach(source -> cursors.add(new MemoryCursor(decimals, source)));
            assertThat(StreamText.of(MergeCursor.of(decimals, cursors)).get(1))
                    .isEqualTo("row [000000010a] | #0[000000010a]@1=07");
        }
    }

    private static Row decimalRow(byte[] decimal) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(decimal));
        row.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.path(decimal, 0, decimal.length);
        row.value(new byte[] {7}, 0, 1);
        return row;
    }

    @Test
    void shouldPointAtTheSourcesBytes() throws IOException {
        byte[] value = {42};
        Row row = row(1);
        row.addCell(A, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, 1);
        MergeCursor cursor = merge(source(row), source(cell(row(1), A, 0, 1)));
        cursor.advance();
        assertThat(cursor.advance()).isEqualTo(FragmentKind.CLUSTERING_ROW);
        assertThat(cursor.row().valueBuffer(0)).isSameAs(value);
    }

    @Test
    void shouldMakeAKeptRowFailWithAssertionsOn() throws IOException {
        MergeCursor cursor = merge(source(cell(row(1), A, 1, 1), cell(row(2), A, 1, 1)), source(cell(row(1), A, 2, 1)));
        cursor.advance();
        cursor.advance();
        Row merged = cursor.row();
        cursor.advance();
        assertThatThrownBy(merged::entryCount).isInstanceOf(AssertionError.class);
        Row passedOn = cursor.row();
        cursor.advance();
        assertThatThrownBy(passedOn::entryCount).isInstanceOf(AssertionError.class);
    }

    private static FragmentCursor failingToClose() {
        return (FragmentCursor) Proxy.newProxyInstance(
                FragmentCursor.class.getClassLoader(), new Class<?>[] {FragmentCursor.class}, (proxy, method, args) -> {
                    throw new IOException("disk is gone, method=" + method.getName());
                });
    }

    @Test
    void shouldCloseEverySourceEvenWhenOneFails() {
        MemoryCursor first = new MemoryCursor(TinyTable.SCHEMA, List.of());
        MemoryCursor last = new MemoryCursor(TinyTable.SCHEMA, List.of());
        MergeCursor cursor = MergeCursor.of(TinyTable.SCHEMA, List.of(first, failingToClose(), failingToClose(), last));
        assertThatThrownBy(cursor::close)
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(first.isClosed()).isTrue();
        assertThat(last.isClosed()).isTrue();
    }

    @Test
    void shouldMergeManySourcesInOrder() throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (int source = 0; source < 40; source++) {
            List<Object> rows = new ArrayList<>();
            for (int c = source; c < 120; c += 1 + source) {
                rows.add(cell(row(c), A, source, source));
            }
            cursors.add(new MemoryCursor(TinyTable.SCHEMA, source(rows.toArray())));
        }
        List<String> lines = StreamText.of(MergeCursor.of(TinyTable.SCHEMA, cursors));
        assertThat(lines).hasSize(2 + 120);
        for (int c = 0; c < 120; c++) {
            int winner = 0;
            for (int source = 0; source < 40; source++) {
                winner = c >= source && (c - source) % (1 + source) == 0 ? source : winner;
            }
            assertThat(lines.get(1 + c)).isEqualTo("row [%02x, 01] | #0@%d=%02x".formatted(c, winner, winner));
        }
    }
}
