package io.anneal.compaction;

import io.anneal.schema.TableOptions;
import java.util.Locale;
import java.util.Set;

/** Strategies by the names of Cassandra's classes. */
final class CompactionStrategies {
    private static final String DEFAULT_CLASS = "SizeTieredCompactionStrategy";
    private static final String PACKAGE = "org.apache.cassandra.db.compaction.";
    private static final Set<String> OVERLAPPING_TOMBSTONES = Set.of("none", "row", "cell");

    private CompactionStrategies() {}

    static CompactionStrategy of(TableOptions table, boolean hasCounters) {
        CompactionOptions options = new CompactionOptions(table.compaction());
        String className = options.text("class", DEFAULT_CLASS);
        String simple = className.startsWith(PACKAGE) ? className.substring(PACKAGE.length()) : className;
        boolean enabled = options.flag("enabled", true);
        TombstoneOptions tombstones = TombstoneOptions.of(options);
        // Cassandra keeps more of what is shadowed out of outputs with it; the merge does all that it can without.
        String overlapping = options.text("provide_overlapping_tombstones", "none");
        if (!OVERLAPPING_TOMBSTONES.contains(overlapping.toLowerCase(Locale.ROOT))) {
            throw options.bad("provide_overlapping_tombstones", "is none of none, row, cell");
        }
        ExpiryRule expiry = ExpiryRule.of(table, hasCounters);
        GroupStrategy strategy = switch (simple) {
            case "SizeTieredCompactionStrategy" -> SizeTiered.of(options);
            case "LeveledCompactionStrategy" -> Levelled.of(options);
            case "UnifiedCompactionStrategy" -> Unified.of(options);
            case "TimeWindowCompactionStrategy" -> TimeWindow.of(options);
            default ->
                throw options.bad(
                        "class",
                        "is none of SizeTieredCompactionStrategy, LeveledCompactionStrategy,"
                                + " UnifiedCompactionStrategy, TimeWindowCompactionStrategy");
        };
        options.refuseOthers(className);
        return new GroupedStrategy(strategy, enabled, expiry, tombstones);
    }
}
