package io.anneal.merge;

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
import io.anneal.schema.TableOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** T is 1000, gc_grace 100: below 900 all is purgeable. */
class PurgerTest {
    private static final SessionPurgeRule RULE = new SessionPurgeRule(1000, 100);

    private static String purged(Row row, SessionPurgeRule rule) {
        Row out = new Row();
        Purger purger = new Purger(TinyTable.SCHEMA, rule);
        boolean changed = purger.purge(row, out);
        assertThat(purger.changes(row)).isEqualTo(changed);
        return changed ? StreamText.row(out) : "unchanged";
    }

    private static Row cell(int ttl, long seconds) {
        Row row = new Row();
        row.addCell(0, 7, ttl, seconds);
        if (ttl != Row.NO_TTL || seconds == DeletionTime.NO_DELETION_TIME) {
            row.value(new byte[] {5}, 0, 1);
        }
        return row;
    }

    @Test
    void shouldTurnExpiredCellsIntoTheTombstonesTheirWriterWouldHaveLeft() {
        assertThat(purged(cell(60, 1001), RULE)).isEqualTo("unchanged");
        assertThat(purged(cell(60, 1000), RULE)).isEqualTo("row [] | #0@7 tombstone/940");
        assertThat(purged(cell(60, 960), RULE)).isEqualTo("row [] | #0@7 tombstone/900");
    }

    @Test
    void shouldPurgeExpiredCellsByExpiryThenByTheirTombstone() {
        assertThat(purged(cell(1, 899), RULE)).isEqualTo("row []");
        assertThat(purged(cell(60, 959), RULE)).isEqualTo("row []");
        assertThat(purged(cell(901, 1001), RULE)).isEqualTo("unchanged");
    }

    @Test
    void shouldPurgeTombstonesStrictlyBelowTheLimit() {
        assertThat(purged(cell(Row.NO_TTL, 900), RULE)).isEqualTo("unchanged");
        assertThat(purged(cell(Row.NO_TTL, 899), RULE)).isEqualTo("row []");
        assertThat(purged(cell(Row.NO_TTL, DeletionTime.NO_DELETION_TIME), RULE))
                .isEqualTo("unchanged");
    }

    @Test
    void shouldPurgeLivenessByExpiryAndLeaveExpiredLivenessAsItIs() {
        Row row = cell(Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.liveness(7, 60, 950);
        assertThat(purged(row, RULE)).isEqualTo("unchanged");
        row.liveness(7, 60, 899);
        assertThat(purged(row, RULE)).isEqualTo("row [] | #0@7=05");
        row.liveness(7, Row.EXPIRED_LIVENESS_TTL, 899);
        assertThat(purged(row, RULE)).isEqualTo("row [] | #0@7=05");
        row.liveness(7, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        assertThat(purged(row, RULE)).isEqualTo("unchanged");
    }

    @Test
    void shouldPurgeRowAndComplexDeletionsAndKeepTheRest() {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[] {1}));
        row.liveness(9, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.deletion(8, 899, false);
        row.addComplexDeletion(2, 8, 899);
        row.addCell(2, 9, 60, 980);
        row.path(new byte[] {3}, 0, 1);
        row.value(new byte[] {4}, 0, 1);
        assertThat(purged(row, RULE)).isEqualTo("row [01] live@9 | #2[03]@9 tombstone/920");
        row.deletion(8, 900, true);
        assertThat(purged(row, RULE)).isEqualTo("row [01] live@9 deleted@8/900 shadowable | #2[03]@9 tombstone/920");
    }

    @Test
    void shouldPurgeNothingWhenGcGraceIsUnknown() {
        SessionPurgeRule unknown = new SessionPurgeRule(1000, TableOptions.GC_GRACE_UNKNOWN);
        assertThat(purged(cell(Row.NO_TTL, 1), unknown)).isEqualTo("unchanged");
        assertThat(purged(cell(10, 100), unknown)).isEqualTo("row [] | #0@7 tombstone/90");
        assertThat(unknown.isPurgeable(0, Long.MIN_VALUE)).isFalse();
    }

    @Test
    void shouldRefuseANegativeGcGrace() {
        assertThatThrownBy(() -> new SessionPurgeRule(1, -2)).hasMessageContaining("gcGraceSeconds=-2");
    }

    private static MemoryPartition.Change change(int c, long micros, long seconds) {
        return new MemoryPartition.Change(
                Clustering.of(new byte[] {(byte) c}), ClusteringComparator.BEFORE, new DeletionTime(micros, seconds));
    }

    private static MemoryPartition.Change close(int c) {
        return new MemoryPartition.Change(
                Clustering.of(new byte[] {(byte) c}), ClusteringComparator.BEFORE, DeletionTime.LIVE);
    }

    @Test
    void shouldSkipWhatPurgingLeavesEmptyInAStream() throws IOException {
        List<DecoratedKey> keys = Stream.of(0, 1, 2, 3)
                .map(i -> DecoratedKey.of(new byte[] {i.byteValue()}))
                .sorted()
                .toList();
        Row gone = cell(Row.NO_TTL, 899);
        gone.clustering().wrap(Clustering.of(new byte[] {2}, new byte[] {2}));
        List<MemoryPartition> partitions = new ArrayList<>();
        partitions.add(new MemoryPartition(keys.get(0), new DeletionTime(5, 899), null, List.of()));
        partitions.add(new MemoryPartition(keys.get(1), new DeletionTime(5, 900), null, List.of(gone)));
        partitions.add(new MemoryPartition(
                keys.get(2),
                DeletionTime.LIVE,
                null,
                List.of(change(1, 5, 899), gone, change(3, 6, 900), change(4, 5, 800), change(5, 7, 900), close(6))));
        partitions.add(new MemoryPartition(keys.get(3), DeletionTime.LIVE, null, List.of(change(1, 5, 899), close(3))));
        PurgeCursor cursor = new PurgeCursor(new MemoryCursor(TinyTable.SCHEMA, partitions), RULE);
        assertThat(StreamText.of(cursor))
                .containsExactly(
                        "partition " + keys.get(1) + " deleted@5/900",
                        "end",
                        "partition " + keys.get(2) + " live",
                        "change before[03] deleted@6/900",
                        "change before[04] live",
                        "change before[05] deleted@7/900",
                        "change before[06] live",
                        "end");
        PurgeCursor skipping = new PurgeCursor(new MemoryCursor(TinyTable.SCHEMA, partitions), RULE);
        skipping.advance();
        skipping.nextPartition();
        skipping.advance();
        assertThat(skipping.key().toDecoratedKey()).isEqualTo(keys.get(2));
        skipping.forwardTo(keys.get(3).token());
        assertThat(skipping.advance()).isNull();
    }
}
