package io.anneal.compaction;

import io.anneal.schema.TableOptions;
import io.anneal.sstable.SSTableStatistics;
import java.util.ArrayList;
import java.util.List;

/**
 * Which SSTables can be dropped as they are: all in them was deleted or has expired longer than gc_grace ago, and is older than
 * everything else that may have the same keys. What may go in turn hides nothing that counts, so it does not stand in the way.
 * Only by gc_grace: the time of the last repair differs from token to token. Immutable.
 *
 * @param gcGraceSeconds {@link TableOptions#GC_GRACE_UNKNOWN} when nothing may be dropped
 * @param hasCounters the tombstone of a counter hides younger cells too
 * @param onlyRepaired whether what is not repaired is kept
 */
record ExpiryRule(long gcGraceSeconds, boolean hasCounters, boolean onlyRepaired) {
    static ExpiryRule of(TableOptions table, boolean hasCounters) {
        boolean byGcGrace = PurgeMode.of(table) == PurgeMode.GC_GRACE;
        return new ExpiryRule(
                byGcGrace ? table.gcGraceSeconds() : TableOptions.GC_GRACE_UNKNOWN,
                hasCounters,
                TombstoneOptions.isOnlyRepaired(new CompactionOptions(table.compaction())));
    }

    /** What was deleted before may be purged; {@link Long#MIN_VALUE} when nothing may. */
    long purgeBeforeSeconds(long nowSeconds) {
        return gcGraceSeconds == TableOptions.GC_GRACE_UNKNOWN ? Long.MIN_VALUE : nowSeconds - gcGraceSeconds;
    }

    /** Those of the idle ones of a group that can be dropped. */
    List<CompactionCandidate> expired(CompactionGroup group, CompactionView view) {
        long beforeSeconds = purgeBeforeSeconds(view.nowSeconds());
        List<CompactionCandidate> expired = new ArrayList<>();
        if (beforeSeconds == Long.MIN_VALUE || onlyRepaired && !group.repaired()) {
            return expired;
        }
        List<CompactionCandidate> alive = new ArrayList<>(view.busy());
        for (CompactionCandidate candidate : view.idle()) {
            if (!isDead(candidate, beforeSeconds)) {
                alive.add(candidate);
            }
        }
        for (CompactionCandidate candidate : group.idle()) {
            if (isDead(candidate, beforeSeconds) && hidesNothing(candidate, alive, view.memtableMinTimestampMicros())) {
                expired.add(candidate);
            }
        }
        return expired;
    }

    /** Returns whether all data has expired. */
    private static boolean isDead(CompactionCandidate candidate, long beforeSeconds) {
        SSTableStatistics statistics = candidate.statistics();
        return !statistics.hasOverflowedExpiry() && statistics.maxLocalDeletionTimeSeconds() < beforeSeconds;
    }

    private boolean hidesNothing(CompactionCandidate candidate, List<CompactionCandidate> alive, long memtableMicros) {
        long newestMicros =
                hasCounters ? Long.MAX_VALUE : candidate.statistics().maxTimestampMicros();
        return (newestMicros < memtableMicros || memtableMicros == Long.MAX_VALUE)
                && alive.stream()
                        .filter(candidate::sharesKeysWith)
                        .allMatch(other -> newestMicros < other.statistics().minTimestampMicros());
    }
}
