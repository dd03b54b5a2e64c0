package io.anneal.compaction;

import io.anneal.schema.TableOptions;

/** Strategies by the names of Cassandra's classes. */
final class CompactionStrategies {
    private static final String DEFAULT_CLASS = "SizeTieredCompactionStrategy";

    private CompactionStrategies() {}

    static CompactionStrategy of(TableOptions table, boolean hasCounters) {
        CompactionOptions options = new CompactionOptions(table.compaction());
        String className = options.text("class", DEFAULT_CLASS);
        String simple = className.substring(className.lastIndexOf('.') + 1);
        boolean enabled = options.flag("enabled", true);
        TombstoneOptions tombstones = TombstoneOptions.of(options);
        // Cassandra keeps more of what is shadowed out of outputs with it; the merge does all that it can without.
        options.text("provide_overlapping_tombstones", "none");
        ExpiryRule expiry = ExpiryRule.of(table, hasCounters);
        GroupStrategy strategy = switch (simple) {
            case "SizeTieredCompactionStrategy" -> SizeTiered.of(options);
            case "LeveledCompactionStrategy" -> Levelled.of(options);
            case "UnifiedCompactionStrategy" -> Unified.of(options);
            case "TimeWindowCompactionStrategy" -> TimeWindow.of(options);
            default -> throw new IllegalArgumentException("compaction strategy is not known, class=" + className);
        };
        options.refuseOthers(className);
        return new GroupedStrategy(strategy, enabled, expiry, tombstones);
    }
}
