package io.anneal.compaction;

import io.anneal.schema.TableOptions;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/** Strategies by the names of Cassandra's classes. */
final class CompactionStrategies {
    private static final String DEFAULT_CLASS = "SizeTieredCompactionStrategy";
    private static final String PACKAGE = "org.apache.cassandra.db.compaction.";
    private static final String TIME_WINDOW = "TimeWindowCompactionStrategy";
    private static final Set<String> OVERLAPPING_TOMBSTONES = Set.of("none", "row", "cell");

    private CompactionStrategies() {}

    static CompactionStrategy of(TableOptions table, boolean hasCounters) {
        CompactionOptions options = new CompactionOptions(table.compaction());
        String className = className(options);
        boolean enabled = options.flag("enabled", true);
        TombstoneOptions tombstones = TombstoneOptions.of(options);
        // Cassandra keeps more of what is shadowed out of outputs with it; the merge does all that it can without.
        String overlapping = options.text("provide_overlapping_tombstones", "none");
        if (!OVERLAPPING_TOMBSTONES.contains(overlapping.toLowerCase(Locale.ROOT))) {
            throw options.bad("provide_overlapping_tombstones", "is none of none, row, cell");
        }
        ExpiryRule expiry = ExpiryRule.of(table, hasCounters);
        GroupStrategy strategy = switch (simple(className)) {
            case "SizeTieredCompactionStrategy" -> SizeTiered.of(options);
            case "LeveledCompactionStrategy" -> Levelled.of(options);
            case "UnifiedCompactionStrategy" -> Unified.of(options);
            case TIME_WINDOW -> TimeWindow.of(options);
            default ->
                throw options.bad(
                        "class",
                        "is none of SizeTieredCompactionStrategy, LeveledCompactionStrategy,"
                                + " UnifiedCompactionStrategy, TimeWindowCompactionStrategy");
        };
        options.refuseOthers(className);
        return new GroupedStrategy(strategy, enabled, expiry, tombstones);
    }

    /** The time window of a timestamp, where the table has such. */
    static Optional<LongUnaryOperator> windowOf(TableOptions table) {
        CompactionOptions options = new CompactionOptions(table.compaction());
        return simple(className(options)).equals(TIME_WINDOW)
                ? Optional.of(TimeWindow.windowOf(options))
                : Optional.empty();
    }

    private static String className(CompactionOptions options) {
        return options.text("class", DEFAULT_CLASS);
    }

    private static String simple(String className) {
        return className.startsWith(PACKAGE) ? className.substring(PACKAGE.length()) : className;
    }
}
