package io.anneal.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.MemoryCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.fragment.StreamText;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CounterContexts;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * How deleted data comes back when purging is careless, one way at a time. It is 1000, gc_grace is 100: what was deleted before
 * 900 may go, if nothing stands in the way.
 */
class PurgeSequencesTest {
    private static final long NOW = 1000;
    private static final long GC_GRACE = 100;
    private static final long LONG_AGO = 500;
    private static final long RECENTLY = 950;
    private static final DecoratedKey KEY = DecoratedKey.of(new byte[] {1});
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.BLOB, Column.Kind.CLUSTERING)
            .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
            .column("m", CqlTypes.map(CqlTypes.BLOB, CqlTypes.BLOB), Column.Kind.REGULAR)
            .build();
    private static final TableSchema COUNTERS = TableSchema.builder("ks", "counters")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("n", CqlTypes.COUNTER, Column.Kind.REGULAR)
            .build();

    private static MemoryPartition partition(DeletionTime deletion, Object... clustered) {
        return new MemoryPartition(KEY, deletion, null, List.of(clustered));
    }

    private static MemoryPartition row(Consumer<Row> content) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(Clustering.of(new byte[] {7}));
        content.accept(row);
        return partition(DeletionTime.LIVE, row);
    }

    private static MemoryPartition value(long micros) {
        return row(row -> row.addCell(0, micros, new byte[] {9}, 0, 1));
    }

    private static MemoryPartition cellTombstone(long micros, long seconds) {
        return row(row -> row.addCell(0, micros, Row.NO_TTL, seconds));
    }

    private static MemoryPartition expiring(long micros, int ttl, long expiry) {
        return row(row -> {
            row.addCell(0, micros, ttl, expiry);
            row.value(new byte[] {9}, 0, 1);
        });
    }

    private static MemoryPartition rangeDeletion(long micros, long seconds) {
        return partition(
                DeletionTime.LIVE,
                new MemoryPartition.Change(
                        Clustering.of(new byte[] {1}), ClusteringComparator.BEFORE, new DeletionTime(micros, seconds)),
                new MemoryPartition.Change(
                        Clustering.of(new byte[] {8}), ClusteringComparator.AFTER, DeletionTime.LIVE));
    }

    private static List<String> text(TableSchema schema, List<MemoryPartition> partitions) throws IOException {
        return StreamText.of(new MemoryCursor(schema, partitions)).stream()
                .filter(line -> !line.equals("end") && !line.endsWith(" live") || line.startsWith("row"))
                .toList();
    }

    private static List<MemoryPartition> compact(
            TableSchema schema, List<MemoryPartition> inputs, MemoryPartition... beside) throws IOException {
        List<List<MemoryPartition>> others = new ArrayList<>();
        Arrays.stream(beside).forEach(other -> others.add(List.of(other)));
        CompactionPurge rule =
                new CompactionPurge(PurgeMode.GC_GRACE, GC_GRACE, NOW, RepairTimes.NONE, MemoryTable.overlaps(others));
        List<List<MemoryPartition>> sources = new ArrayList<>();
        inputs.forEach(input -> sources.add(List.of(input)));
        return new MemoryTable(schema).compact(sources, rule);
    }

    /** The deletion of a write at 5 must outlive the write, whichever file that is in. */
    private static void shouldBeKeptAsLongAsItHides(MemoryPartition deletion, String text) throws IOException {
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(deletion), value(5)))).contains(text);
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(deletion), value(4)))).contains(text);
        assertThat(compact(SCHEMA, List.of(deletion), value(6))).isEmpty();
        assertThat(compact(SCHEMA, List.of(deletion))).isEmpty();
    }

    @Test
    void shouldKeepDeletionsAsLongAsAnythingHoldsWhatTheyHide() throws IOException {
        shouldBeKeptAsLongAsItHides(cellTombstone(5, LONG_AGO), "row [07] | #0@5 tombstone/500");
        shouldBeKeptAsLongAsItHides(row(row -> row.deletion(5, LONG_AGO, false)), "row [07] deleted@5/500");
        shouldBeKeptAsLongAsItHides(row(row -> row.deletion(5, LONG_AGO, true)), "row [07] deleted@5/500 shadowable");
        shouldBeKeptAsLongAsItHides(row(row -> row.addComplexDeletion(1, 5, LONG_AGO)), "row [07] | #1 deleted@5/500");
        shouldBeKeptAsLongAsItHides(rangeDeletion(5, LONG_AGO), "change before[01] deleted@5/500");
        shouldBeKeptAsLongAsItHides(partition(new DeletionTime(5, LONG_AGO)), "partition " + KEY + " deleted@5/500");
    }

    @Test
    void shouldPurgeDeletionsTogetherWithWhatTheyHide() throws IOException {
        for (MemoryPartition deletion : List.of(
                cellTombstone(5, LONG_AGO),
                row(row -> row.deletion(5, LONG_AGO, false)),
                rangeDeletion(5, LONG_AGO),
                partition(new DeletionTime(5, LONG_AGO)))) {
            assertThat(compact(SCHEMA, List.of(deletion, value(5)), value(6))).isEmpty();
        }
    }

    @Test
    void shouldKeepDeletionsThatSomeReplicaMayNotKnow() throws IOException {
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(cellTombstone(5, RECENTLY), value(4)))))
                .containsExactly("row [07] | #0@5 tombstone/950");
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(cellTombstone(5, NOW - GC_GRACE)))))
                .containsExactly("row [07] | #0@5 tombstone/900");
    }

    @Test
    void shouldKeepAnExpiredCellThatHidesAnOlderValue() throws IOException {
        // 4 without TTL, then 5 with TTL: when 5 goes first, 4 is back.
        MemoryPartition expired = expiring(5, 10, LONG_AGO);
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(expired), value(4))))
                .containsExactly("row [07] | #0@5 ttl=10 expiry=500=09");
        assertThat(compact(SCHEMA, List.of(expired, value(4)))).isEmpty();
        assertThat(compact(SCHEMA, List.of(expired), value(6))).isEmpty();
    }

    @Test
    void shouldTurnExpiredCellsIntoTombstonesOnlyWhenNothingTiesWithThem() throws IOException {
        MemoryPartition expired = expiring(5, 10, RECENTLY);
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(expired)))).containsExactly("row [07] | #0@5 tombstone/940");
        // Of one timestamp, and still alive: against a tombstone it would lose.
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(expired), expiring(5, 10, NOW + 1))))
                .containsExactly("row [07] | #0@5 ttl=10 expiry=950=09");
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(expiring(5, 10, NOW + 1)))))
                .containsExactly("row [07] | #0@5 ttl=10 expiry=1001=09");
    }

    @Test
    void shouldKeepExpiredLivenessThatOutlivesAnOlderInsert() throws IOException {
        MemoryPartition expired = row(row -> row.liveness(5, 10, LONG_AGO));
        MemoryPartition inserted = row(row -> row.liveness(4, Row.NO_TTL, DeletionTime.NO_DELETION_TIME));
        assertThat(text(SCHEMA, compact(SCHEMA, List.of(expired), inserted)))
                .containsExactly("row [07] live@5 ttl=10 expiry=500");
        assertThat(compact(SCHEMA, List.of(expired, inserted))).isEmpty();
    }

    @Test
    void shouldKeepAnyTombstoneOfACounterWhileACounterIsLeft() throws IOException {
        MemoryPartition tombstone = row(row -> {
            row.clustering().wrap(Clustering.of());
            row.addCell(0, 5, Row.NO_TTL, LONG_AGO);
        });
        byte[] context = CounterContexts.context("g1:1=1");
        MemoryPartition younger = row(row -> {
            row.clustering().wrap(Clustering.of());
            row.addCell(0, 9, context, 0, context.length);
        });
        // It hides what was counted later, too.
        assertThat(text(COUNTERS, compact(COUNTERS, List.of(tombstone), younger)))
                .containsExactly("row [] | #0@5 tombstone/500");
        assertThat(compact(COUNTERS, List.of(tombstone, younger))).isEmpty();
    }

    @Test
    void shouldPurgeByTheLastRepairInRepairMode() throws IOException {
        List<List<MemoryPartition>> inputs = List.of(List.of(cellTombstone(5, LONG_AGO)));
        MemoryTable table = new MemoryTable(SCHEMA);
        for (long repaired : new long[] {RepairTimes.NEVER, LONG_AGO}) {
            assertThat(table.compact(inputs, byRepair(repaired, Overlaps.NONE))).hasSize(1);
        }
        assertThat(table.compact(inputs, byRepair(LONG_AGO + 1, Overlaps.NONE))).isEmpty();
        assertThat(table.compact(inputs, byRepair(LONG_AGO + 1, key -> 5))).hasSize(1);
        // A repair that seems to be in the future must not purge what still lives.
        List<List<MemoryPartition>> alive = List.of(List.of(expiring(5, 10, NOW + 1)));
        assertThat(table.compact(alive, byRepair(NOW + 50, Overlaps.NONE))).hasSize(1);
    }

    private static CompactionPurge byRepair(long repairedSeconds, Overlaps overlaps) {
        return new CompactionPurge(PurgeMode.REPAIR, 0, NOW, token -> repairedSeconds, overlaps);
    }

    @Test
    void shouldPurgeNothingWhenDisabledOrGcGraceIsUnknown() throws IOException {
        List<List<MemoryPartition>> inputs = List.of(List.of(cellTombstone(5, LONG_AGO)));
        MemoryTable table = new MemoryTable(SCHEMA);
        assertThat(table.compact(
                        inputs, new CompactionPurge(PurgeMode.DISABLED, 0, NOW, RepairTimes.NONE, Overlaps.NONE)))
                .hasSize(1);
        assertThat(table.compact(
                        inputs,
                        new CompactionPurge(
                                PurgeMode.GC_GRACE,
                                TableOptions.GC_GRACE_UNKNOWN,
                                NOW,
                                RepairTimes.NONE,
                                Overlaps.NONE)))
                .hasSize(1);
    }

    @Test
    void shouldAskForOverlapsOnceAPartitionAndOnlyWhenAPurgeIsAtStake() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        Overlaps counting = key -> {
            asked.incrementAndGet();
            return 0;
        };
        MemoryTable table = new MemoryTable(SCHEMA);
        List<List<MemoryPartition>> nothingAtStake = List.of(List.of(value(5)), List.of(cellTombstone(4, RECENTLY)));
        table.compact(
                nothingAtStake, new CompactionPurge(PurgeMode.GC_GRACE, GC_GRACE, NOW, RepairTimes.NONE, counting));
        assertThat(asked).hasValue(0);
        List<List<MemoryPartition>> atStake =
                List.of(List.of(rangeDeletion(5, LONG_AGO)), List.of(cellTombstone(6, LONG_AGO)));
        table.compact(atStake, new CompactionPurge(PurgeMode.GC_GRACE, GC_GRACE, NOW, RepairTimes.NONE, counting));
        assertThat(asked).hasValue(1);
    }

    @Test
    void shouldReadTheModeFromTheTable() {
        assertThat(PurgeMode.of(options(Map.of()))).isEqualTo(PurgeMode.GC_GRACE);
        assertThat(PurgeMode.of(options(Map.of("tombstone_gc", "{'mode': 'timeout'}"))))
                .isEqualTo(PurgeMode.GC_GRACE);
        assertThat(PurgeMode.of(options(Map.of("tombstone_gc", "{'mode': 'repair'}"))))
                .isEqualTo(PurgeMode.REPAIR);
        assertThat(PurgeMode.of(options(Map.of("tombstone_gc", "{'mode': 'disabled'}"))))
                .isEqualTo(PurgeMode.DISABLED);
        assertThatThrownBy(() -> PurgeMode.of(options(Map.of("tombstone_gc", "{'mode': 'immediate'}"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("immediate");
    }

    private static TableOptions options(Map<String, String> others) {
        return new TableOptions(GC_GRACE, 0.01, 128, Map.of(), Map.of(), false, others);
    }
}
