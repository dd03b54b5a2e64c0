package io.anneal.dualdao.control;

import java.time.Duration;

/**
 * How a {@link PhaseControl} goes on.
 *
 * @param quietWindow how long no read may have fallen back before the next step depends on it
 * @param silence after which an instance counts as silent; the clocks of all machines must agree much better than that
 * @param verifiedWithin how long ago the verification may have ended that opens 3b and 4
 */
public record ControlPolicy(Duration quietWindow, Duration silence, Duration verifiedWithin) {
    /** A minute without fallbacks, ten seconds of silence, a verification of the last 24 hours. */
    public static final ControlPolicy DEFAULTS =
            new ControlPolicy(Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofHours(24));

    public ControlPolicy {
        if (quietWindow.isNegative()
                || silence.isNegative()
                || silence.isZero()
                || verifiedWithin.isNegative()
                || verifiedWithin.isZero()) {
            throw new IllegalArgumentException("not a policy of control, quietWindow=" + quietWindow + ", silence="
                    + silence + ", verifiedWithin=" + verifiedWithin);
        }
    }

    /** The same with another time without fallbacks. */
    public ControlPolicy withQuietWindow(Duration window) {
        return new ControlPolicy(window, silence, verifiedWithin);
    }

    /** The same with another time after which an instance counts as silent. */
    public ControlPolicy withSilence(Duration limit) {
        return new ControlPolicy(quietWindow, limit, verifiedWithin);
    }

    /** The same with another limit on the age of verifications. */
    public ControlPolicy withVerifiedWithin(Duration limit) {
        return new ControlPolicy(quietWindow, silence, limit);
    }
}
