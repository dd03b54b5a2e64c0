package io.anneal.dualdao.compare;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a {@link TypedComparison} was told.
 *
 * @param differencesMax after so many it stops looking
 * @param valueCharsMax of a value's text
 */
record ComparisonRules(
        List<PathPattern> ignored,
        List<PathPattern> unordered,
        List<PathPattern> redacted,
        List<Tolerance<BigDecimal>> numbers,
        List<Tolerance<Duration>> times,
        int differencesMax,
        int valueCharsMax) {
    /** By how much values may differ in the places that a pattern names. */
    record Tolerance<T>(PathPattern pattern, T most) {}

    static boolean anyMatches(List<PathPattern> patterns, List<PathPattern.Step> path) {
        for (PathPattern pattern : patterns) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    /** The first that names the place. */
    static <T> Optional<T> tolerance(List<Tolerance<T>> tolerances, List<PathPattern.Step> path) {
        for (Tolerance<T> tolerance : tolerances) {
            if (tolerance.pattern().matches(path)) {
                return Optional.of(tolerance.most());
            }
        }
        return Optional.empty();
    }
}
