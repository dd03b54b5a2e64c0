package io.anneal.io;

import java.time.Duration;
import java.util.Objects;

/** Checks of what a caller sets, where it is set. Each names the argument in what it throws, and returns the value. */
public final class Arguments {
    /** Longer ones have no number of nanoseconds. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Arguments() {}

    /** @throws IllegalArgumentException when it is less than one */
    public static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be positive, " + name + "=" + value);
        }
        return value;
    }

    /** @throws IllegalArgumentException when it is negative */
    public static long notNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative, " + name + "=" + value);
        }
        return value;
    }

    /**
     * The time, or the longest that can be waited for: 292 years.
     *
     * @throws NullPointerException when it is null
     */
    public static Duration notNegative(String name, Duration value) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, " + name + "=" + value);
        }
        return value.compareTo(LONGEST) > 0 ? LONGEST : value;
    }
}
