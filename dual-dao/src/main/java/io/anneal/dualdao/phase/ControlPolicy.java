package io.anneal.dualdao.phase;

import java.time.Duration;

/**
 * How a {@link PhaseControl} goes on.
 *
 * @param targetFirst whether the way from 3 to 4 leads over {@link Phase#TARGET_FIRST}; it does in any case if an instance
 *     says so by {@link Facts#NEEDS_TARGET_FIRST}
 * @param quietWindow how long no read may have fallen back before the next step depends on it
 * @param silence after which an instance counts as silent; the clocks of all machines must agree much better than that
 */
public record ControlPolicy(boolean targetFirst, Duration quietWindow, Duration silence) {
    /** Straight from 3 to 4, a minute without fallbacks, ten seconds of silence. */
    public static final ControlPolicy DEFAULTS =
            new ControlPolicy(false, Duration.ofMinutes(1), Duration.ofSeconds(10));

    public ControlPolicy {
        if (quietWindow.isNegative() || silence.isNegative() || silence.isZero()) {
            throw new IllegalArgumentException(
                    "not a policy of control, quietWindow=" + quietWindow + ", silence=" + silence);
        }
    }
}
