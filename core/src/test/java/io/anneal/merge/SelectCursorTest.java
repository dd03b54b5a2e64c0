package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a plain model of what exists. A failure names its seed; {@code -Danneal.seed=N} starts from another. */
class SelectCursorTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final int ROUNDS = 1500;
    /** In the middle of the times that occur. */
    private static final long NOW = 102;

    private static FragmentCursor merged(long seed) {
        TinyTable table = new TinyTable(seed, true);
        List<FragmentCursor> sources = new ArrayList<>();
        for (int i = 1 + Math.floorMod(seed, 3); i > 0; i--) {
            sources.add(new MemoryCursor(TinyTable.SCHEMA, table.draw()));
        }
        return MergeCursor.of(TinyTable.SCHEMA, sources);
    }

    /** What is to be seen, and how much is not. */
    private static final class Model {
        private final List<String> lines = new ArrayList<>();
        private long tombstones;

        static Model of(FragmentCursor cursor) throws IOException {
            Model model = new Model();
            List<String> partition = new ArrayList<>();
            for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                switch (kind) {
                    case PARTITION_START -> model.tombstones += cursor.partitionDeletionTimestampMicros() >= 0 ? 1 : 0;
                    case STATIC_ROW, CLUSTERING_ROW -> model.row(cursor.row(), partition);
                    case RANGE_TOMBSTONE_CHANGE -> model.tombstones++;
                    case PARTITION_END -> {
                        if (!partition.isEmpty()) {
                            model.lines.add("partition " + cursor.key().toDecoratedKey() + " live");
                            model.lines.addAll(partition);
                            model.lines.add("end");
                        }
                        partition.clear();
                    }
                }
            }
            return model;
        }

        private void row(Row row, List<String> partition) {
            Row live = new Row();
            live.clear(row.isStatic());
            live.clustering().wrap(row.clustering());
            int ttl = row.livenessTtlSeconds();
            boolean expires = ttl != Row.NO_TTL;
            if (row.livenessTimestampMicros() >= 0
                    && (!expires || ttl != Row.EXPIRED_LIVENESS_TTL && row.livenessExpirySeconds() > NOW)) {
                live.liveness(row.livenessTimestampMicros(), ttl, row.livenessExpirySeconds());
            }
            List<Column> columns =
                    row.isStatic() ? TinyTable.SCHEMA.staticColumns() : TinyTable.SCHEMA.regularColumns();
            long dead = 0;
            for (int i = 0; i < row.entryCount(); i++) {
                if (row.isComplexDeletion(i)) {
                    continue;
                }
                if (row.isTombstone(i) || row.isExpiring(i) && row.localDeletionTimeSeconds(i) <= NOW) {
                    dead++;
                } else if (!columns.get(row.columnIndex(i)).dropped()) {
                    live.addEntryOf(row, i);
                }
            }
            tombstones += dead;
            if (!live.isEmpty()) {
                partition.add(StreamText.row(live));
            } else if (dead == 0) {
                tombstones++;
            }
        }
    }

    @Test
    void shouldShowWhatExistsAndCountWhatDoesNot() throws IOException {
        long shown = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            Model model = Model.of(merged(seed));
            SelectCursor select = new SelectCursor(merged(seed), NOW);
            assertThat(StreamText.of(select)).as("seed=%d", seed).isEqualTo(model.lines);
            assertThat(select.tombstoneCount()).as("seed=%d", seed).isEqualTo(model.tombstones);
            assertThat(select.isPaused()).isFalse();
            shown += model.lines.size();
        }
        assertThat(shown).isGreaterThan(ROUNDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 3})
    void shouldShowTheSameWhenItPauses(long pauseEvery) throws IOException {
        long pauses = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            SelectCursor select = new SelectCursor(merged(seed), NOW);
            select.pauseAt(pauseEvery);
            List<String> lines = new ArrayList<>();
            long passed = 0;
            for (FragmentKind kind = select.advance(); kind != null || select.isPaused(); kind = select.advance()) {
                if (kind != null) {
                    lines.add(StreamText.fragment(select));
                } else {
                    assertThat(select.kind()).isNull();
                    assertThat(select.tombstoneCount()).isGreaterThanOrEqualTo(passed + pauseEvery);
                    assertThat(select.positionInPartition()).isNotNull();
                    passed = select.tombstoneCount();
                    select.pauseAt(passed + pauseEvery);
                    pauses++;
                }
            }
            assertThat(lines).as("seed=%d", seed).isEqualTo(Model.of(merged(seed)).lines);
        }
        assertThat(pauses).isGreaterThan(ROUNDS / 4);
    }

    @Test
    void shouldSkipPartitionsAndTokens() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS / 5; seed++) {
            List<String> expected = new ArrayList<>();
            for (String line : Model.of(merged(seed)).lines) {
                if (line.startsWith("partition")) {
                    expected.add(line);
                }
            }
            List<String> starts = new ArrayList<>();
            SelectCursor select = new SelectCursor(merged(seed), NOW);
            while (select.advance() == FragmentKind.PARTITION_START) {
                starts.add(StreamText.fragment(select));
                if (seed % 2 == 0) {
                    select.nextPartition();
                } else if (select.key().token() < Long.MAX_VALUE) {
                    select.forwardTo(select.key().token() + 1);
                }
                assertThat(select.kind()).isEqualTo(FragmentKind.PARTITION_END);
            }
            assertThat(starts).as("seed=%d", seed).isEqualTo(expected);
        }
    }

    private static List<String> compact(String table, boolean isStatic) throws IOException {
        TableSchema schema = CqlSchema.parse(table + " WITH COMPACT STORAGE;", "compact.cql")
                .tables()
                .iterator()
                .next();
        Row values = new Row();
        values.clear(true);
        values.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        values.value(new byte[4], 0, 4);
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(Clustering.of(new byte[4]));
        row.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(new byte[0], 0, 0);
        MemoryPartition partition = new MemoryPartition(
                DecoratedKey.of(new byte[4]), DeletionTime.LIVE, isStatic ? values : null, List.of(row));
        List<String> kinds = new ArrayList<>();
        try (SelectCursor select = new SelectCursor(new MemoryCursor(schema, List.of(partition)), NOW)) {
            while (select.advance() != null) {
                kinds.add(select.kind().toString());
            }
        }
        return kinds;
    }

    /** As Cassandra: what dynamic columns of Thrift left has no row in CQL, and a key alone is a row by its hidden cell. */
    @Test
    void shouldShowRowsOfCompactTablesThatStatementsSee() throws IOException {
        assertThat(compact("CREATE TABLE ks.t (k int PRIMARY KEY, v int)", true))
                .containsExactly("PARTITION_START", "STATIC_ROW", "PARTITION_END");
        assertThat(compact("CREATE TABLE ks.t (k int, c int, PRIMARY KEY (k, c))", false))
                .containsExactly("PARTITION_START", "CLUSTERING_ROW", "PARTITION_END");
    }
}
