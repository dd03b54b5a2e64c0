package io.anneal.dualdao.compare;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares answers by what they are and names the places in which they differ: records by component, collections and arrays by
 * element, maps by key, sets regardless of order, bytes as bytes, numbers by value ({@code 1.0} is {@code 1.00} for a
 * {@code BigDecimal}; an {@code Integer} is never a {@code Long}), times at the precision of the side that keeps less of a second's
 * fraction, an {@code Optional} as what is in it. Other classes are compared by
 * their public getters and fields, even where their {@code equals} calls them equal, since that of an entity often looks at
 * its id alone; where it says that they differ in something that can't be seen, they do. A class that has none of these is only
 * equal to itself. Immutable; any thread may call.
 *
 * <p>Places are named by patterns: {@code items[3].d}, {@code items[*].d}, {@code [*].price} in an answer that is itself a list
 * or a map, {@code *.at} for a field of any field, {@code **.updatedAt} wherever it stands. Cycles end where they close. An answer whose
 * own methods throw, as one that the caller changes meanwhile, counts as different, with the exception's name.
 */
public final class TypedComparison implements Comparison {
    private static final TypedComparison STANDARD = builder().build();

    private final ComparisonRules rules;

    private TypedComparison(ComparisonRules rules) {
        this.rules = rules;
    }

    /** Nothing is ignored, nothing tolerated. */
    public static TypedComparison standard() {
        return STANDARD;
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public List<FieldDiff> differences(Object origin, Object target) {
        AnswerWalk walk = new AnswerWalk(rules);
        try {
            walk.compare(origin, target);
        } catch (RuntimeException | StackOverflowError e) {
            // Answers are of callers' classes, whose equals, hashCode and iterators may do anything.
            walk.failed(e);
        }
        return walk.differences();
    }

    /** Gathers what a comparison is told. Not for several threads. */
    public static final class Builder {
        private static final int DIFFERENCES_MAX = 32;
        private static final int VALUE_CHARS_MAX = 200;

        private final List<PathPattern> ignored = new ArrayList<>();
        private final List<PathPattern> unordered = new ArrayList<>();
        private final List<PathPattern> redacted = new ArrayList<>();
        private final List<ComparisonRules.Tolerance<BigDecimal>> numbers = new ArrayList<>();
        private final List<ComparisonRules.Tolerance<Duration>> times = new ArrayList<>();
        private int differencesMax = DIFFERENCES_MAX;
        private int valueCharsMax = VALUE_CHARS_MAX;

        private Builder() {}

        /** Leaves these places out, with all below them. */
        public Builder ignore(String... patterns) {
            for (String pattern : patterns) {
                ignored.add(PathPattern.parse(pattern));
            }
            return this;
        }

        /** Lets numbers differ by so much, of whatever classes they are. */
        public Builder tolerance(String pattern, BigDecimal most) {
            if (most.signum() < 0) {
                throw new IllegalArgumentException("a negative tolerance, pattern=" + pattern + ", most=" + most);
            }
            numbers.add(new ComparisonRules.Tolerance<>(PathPattern.parse(pattern), most));
            return this;
        }

        /** Lets times and dates (and durations) differ by so much. */
        public Builder tolerance(String pattern, Duration most) {
            if (most.isNegative()) {
                throw new IllegalArgumentException("a negative tolerance, pattern=" + pattern + ", most=" + most);
            }
            times.add(new ComparisonRules.Tolerance<>(PathPattern.parse(pattern), most));
            return this;
        }

        /** Compares the collections or arrays there regardless of order; how often an element is in one counts. */
        public Builder unordered(String... patterns) {
            for (String pattern : patterns) {
                unordered.add(PathPattern.parse(pattern));
            }
            return this;
        }

        /** Keeps the values of these places, and of all below them, out of the differences. */
        public Builder redact(String... patterns) {
            for (String pattern : patterns) {
                redacted.add(PathPattern.parse(pattern));
            }
            return this;
        }

        /** How many differences are told of two answers, 32 unless said. */
        public Builder differencesMax(int most) {
            requirePositive(most);
            differencesMax = most;
            return this;
        }

        /** How many characters of a value are told, 200 unless said. */
        public Builder valueCharsMax(int most) {
            requirePositive(most);
            valueCharsMax = most;
            return this;
        }

        private static void requirePositive(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("less than one, most=" + most);
            }
        }

        public TypedComparison build() {
            return new TypedComparison(new ComparisonRules(
                    List.copyOf(ignored),
                    List.copyOf(unordered),
                    List.copyOf(redacted),
                    List.copyOf(numbers),
                    List.copyOf(times),
                    differencesMax,
                    valueCharsMax));
        }
    }
}
