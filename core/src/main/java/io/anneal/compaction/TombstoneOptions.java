package io.anneal.compaction;

import java.util.List;

/**
 * When one SSTable is rewritten alone because much of it can be purged.
 *
 * @param threshold which part of the cells must be droppable
 * @param intervalSeconds how old it must be: what was written yesterday will not purge more today
 * @param unchecked whether other SSTables do not matter
 * @param onlyRepaired whether tombstones that are not repaired are kept
 */
record TombstoneOptions(double threshold, long intervalSeconds, boolean unchecked, boolean onlyRepaired) {
    private static final double THRESHOLD_DEFAULT = 0.2;
    private static final long INTERVAL_DEFAULT_SECONDS = 86_400;
    private static final String ONLY_REPAIRED = "only_purge_repaired_tombstones";

    static TombstoneOptions of(CompactionOptions options) {
        double threshold = options.number("tombstone_threshold", THRESHOLD_DEFAULT, 0);
        if (threshold == 0) {
            throw options.bad("tombstone_threshold", "is not positive");
        }
        options.flag("log_all", false);
        return new TombstoneOptions(
                threshold,
                options.whole("tombstone_compaction_interval", INTERVAL_DEFAULT_SECONDS, 1, Long.MAX_VALUE),
                options.flag("unchecked_tombstone_compaction", false),
                isOnlyRepaired(options));
    }

    static boolean isOnlyRepaired(CompactionOptions options) {
        return options.flag(ONLY_REPAIRED, false);
    }

    /**
     * Whether rewriting the SSTable is worth it.
     *
     * @param others everything live beside it
     * @param purgeBeforeSeconds what was deleted before may be purged
     */
    boolean isWorth(
            CompactionCandidate candidate,
            List<CompactionCandidate> others,
            CompactionView view,
            long purgeBeforeSeconds) {
        if (view.nowSeconds() - candidate.createdSeconds() < intervalSeconds
                || onlyRepaired && !candidate.isRepaired()
                || candidate.reader().metadata().droppableRatio(purgeBeforeSeconds) <= threshold) {
            return false;
        }
        long newestMicros = candidate.statistics().maxTimestampMicros();
        // With anything as old as the newest here in its way something would be left, to be found worth it again.
        return unchecked
                || newestMicros < view.memtableMinTimestampMicros()
                        && others.stream()
                                .filter(candidate::sharesKeysWith)
                                .allMatch(other ->
                                        newestMicros < other.statistics().minTimestampMicros());
    }
}
