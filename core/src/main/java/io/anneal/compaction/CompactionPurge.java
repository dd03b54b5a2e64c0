package io.anneal.compaction;

import io.anneal.key.KeyView;
import io.anneal.merge.PurgeRule;
import io.anneal.schema.TableOptions;

/**
 * What a compaction may leave out for good. Two things must hold, or deleted data comes back:
 *
 * <ul>
 *   <li>All replicas know of the deletion: it is older than gc_grace, or had arrived before the last repair of its range.
 *   <li>Nothing that it hides is left here: it is older than everything beside the inputs that may have the partition.
 * </ul>
 *
 * <p>For the same reason an expired cell becomes a tombstone only when it is older than everything else: a tombstone beats a
 * cell of its own timestamp that has not expired yet. What {@link Overlaps} say is asked for once per partition, and only when
 * the first thing holds. Keeps the current partition; one thread.
 */
public final class CompactionPurge implements PurgeRule {
    private final PurgeMode mode;
    private final long nowSeconds;
    private final long propagationDelaySeconds;
    private final RepairTimes repairTimes;
    private final Overlaps overlaps;
    private final KeyView key = new KeyView();

    private long purgeBeforeSeconds;
    private boolean overlapsKnown;
    private long minTimestampMicros;

    /**
     * @param gcGraceSeconds of the table; {@link TableOptions#GC_GRACE_UNKNOWN} purges nothing in mode {@link
     *     PurgeMode#GC_GRACE}
     * @param nowSeconds when the compaction began, since 1970
     * @param repairTimes asked in mode {@link PurgeMode#REPAIR} only
     */
    public CompactionPurge(
            PurgeMode mode, long gcGraceSeconds, long nowSeconds, RepairTimes repairTimes, Overlaps overlaps) {
        this(mode, gcGraceSeconds, 0, nowSeconds, repairTimes, overlaps);
    }

    private CompactionPurge(
            PurgeMode mode,
            long gcGraceSeconds,
            long propagationDelaySeconds,
            long nowSeconds,
            RepairTimes repairTimes,
            Overlaps overlaps) {
        this.mode = mode;
        this.propagationDelaySeconds = propagationDelaySeconds;
        this.nowSeconds = nowSeconds;
        this.repairTimes = repairTimes;
        this.overlaps = overlaps;
        purgeBeforeSeconds = mode == PurgeMode.GC_GRACE && gcGraceSeconds != TableOptions.GC_GRACE_UNKNOWN
                ? nowSeconds - gcGraceSeconds
                : Long.MIN_VALUE;
    }

    /** As the table's options say, for one task. */
    public static CompactionPurge of(
            TableOptions table, CompactionTask task, long nowSeconds, RepairTimes repairTimes, Overlaps overlaps) {
        boolean onlyRepaired = TombstoneOptions.isOnlyRepaired(new CompactionOptions(table.compaction()));
        boolean kept = onlyRepaired && !task.inputs().get(0).isRepaired();
        PurgeMode mode = kept ? PurgeMode.DISABLED : PurgeMode.of(table);
        return new CompactionPurge(
                mode,
                table.gcGraceSeconds(),
                PurgeMode.propagationDelaySeconds(table),
                nowSeconds,
                repairTimes,
                overlaps);
    }

    @Override
    public void startPartition(KeyView partitionKey) {
        key.wrap(partitionKey);
        overlapsKnown = false;
        if (mode == PurgeMode.REPAIR) {
            // A repair in the future comes from a clock that was set back: nothing that still lives may go.
            long repairSeconds = Math.min(repairTimes.lastRepairSeconds(partitionKey.token()), nowSeconds);
            purgeBeforeSeconds = repairSeconds < propagationDelaySeconds
                    ? RepairTimes.NEVER
                    : repairSeconds - propagationDelaySeconds;
        }
    }

    @Override
    public boolean isPurgeable(long timestampMicros, long localDeletionTimeSeconds) {
        return localDeletionTimeSeconds < purgeBeforeSeconds && isOlderThanAllElse(timestampMicros);
    }

    @Override
    public boolean isExpired(long timestampMicros, long expirySeconds) {
        return expirySeconds <= nowSeconds && isOlderThanAllElse(timestampMicros);
    }

    private boolean isOlderThanAllElse(long timestampMicros) {
        if (!overlapsKnown) {
            minTimestampMicros = overlaps.minTimestampMicros(key);
            overlapsKnown = true;
        }
        return timestampMicros < minTimestampMicros || minTimestampMicros == Long.MAX_VALUE;
    }
}
