package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/** What an exception says of what happened on the side that threw it. */
final class Outcomes {
    private static final int CAUSES_MAX = 16;

    private final Function<Throwable, SideOutcome> classified;
    private final boolean told;

    /** @param classified null for {@link #standard} */
    Outcomes(Function<Throwable, SideOutcome> classified) {
        told = classified != null;
        this.classified = classified == null ? Outcomes::standard : classified;
    }

    /**
     * UNKNOWN for whatever calls itself a timeout, and for what was interrupted or cancelled, be it a cause; FAILED for all
     * else.
     */
    static SideOutcome standard(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            if (cause.getClass().getName().contains("Timeout")
                    || cause instanceof InterruptedIOException
                    || cause instanceof InterruptedException
                    || cause instanceof CancellationException) {
                return SideOutcome.UNKNOWN;
            }
            cause = cause.getCause();
        }
        return SideOutcome.FAILED;
    }

    /** FAILED or UNKNOWN; what the caller's function can't say is unknown. */
    SideOutcome of(Throwable thrown) {
        SideOutcome outcome;
        try {
            outcome = classified.apply(thrown);
        } catch (RuntimeException broken) {
            thrown.addSuppressed(broken);
            return SideOutcome.UNKNOWN;
        }
        return outcome == SideOutcome.FAILED ? outcome : SideOutcome.UNKNOWN;
    }

    /** Whether nothing happened by the caller's word, and not by the name of an exception. */
    boolean sure(SideOutcome outcome) {
        return told && outcome == SideOutcome.FAILED;
    }

    static Counter counter(Side side, SideOutcome outcome) {
        if (outcome == SideOutcome.FAILED) {
            return side == Side.ORIGIN ? Counter.ORIGIN_FAILED : Counter.TARGET_FAILED;
        }
        return side == Side.ORIGIN ? Counter.ORIGIN_UNKNOWN : Counter.TARGET_UNKNOWN;
    }

    /** Attaches the outcomes to what the caller is going to see. */
    static Throwable attach(Throwable thrown, String operation, Side side, SideOutcome outcome, SideOutcome other) {
        SideOutcome origin = side == Side.ORIGIN ? outcome : other;
        SideOutcome target = side == Side.TARGET ? outcome : other;
        // A DAO may throw one exception again and again, which must not gather what is attached to it.
        boolean there = OutcomePerSide.of(thrown)
                .filter(last -> last.origin() == origin && last.target() == target)
                .isPresent();
        if (!there) {
            thrown.addSuppressed(new OutcomePerSide(operation, origin, target));
        }
        return thrown;
    }
}
