package io.anneal.bench.scenario;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How many times something of Anneal's the same of another is, by medians; or that the runs of one of them differ by too much to say so.
 *
 * @param value empty where nothing is said
 * @param spread the larger of both: what the most is above the least, as a part of the median
 */
record Ratio(OptionalDouble value, double spread) {
    static final double SPREAD_MAX = 0.25;

    /** Below that nothing is measured: a hundredth of a second, or a byte, count as little. */
    private static final double RESOLUTION = 1e-9;

    static Ratio of(BenchRecord other, BenchRecord own) {
        double spread = Math.max(spread(other), spread(own));
        return spread > SPREAD_MAX
                ? new Ratio(OptionalDouble.empty(), spread)
                : new Ratio(OptionalDouble.of(other.median() / Math.max(RESOLUTION, own.median())), spread);
    }

    private static double spread(BenchRecord entry) {
        return (entry.max() - entry.min()) / Math.max(RESOLUTION, entry.median());
    }

    /** For a column of a table. */
    String text() {
        return value.isPresent()
                ? String.format(Locale.ROOT, "%.2f", value.getAsDouble())
                : String.format(Locale.ROOT, "- (+-%.0f%%)", 100 * spread);
    }

    /** For a column of a table, where one of both may not have been measured. */
    static String text(Optional<BenchRecord> other, Optional<BenchRecord> own) {
        return other.isPresent() && own.isPresent() ? of(other.get(), own.get()).text() : "";
    }
}
