package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failures of both sides by cause. One of the target is logged at once, and then at most once a minute and cause with the
 * count since; callers see those of the origin themselves. Any thread may call.
 */
final class Failures {
    private static final int CAUSE_CHARS_MAX = 300;
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final boolean redactValues;
    private final Causes<SideFailure> causes = new Causes<>(SideFailure::kind, SideFailure::plus);
    /** As they were when they were logged last. */
    private final Causes<SideFailure> logged = new Causes<>(SideFailure::kind, (before, now) -> now);

    /** @param redactValues whether messages, which may hold values, are left out of heartbeats */
    Failures(InstantSource clock, boolean redactValues) {
        this.clock = clock;
        this.redactValues = redactValues;
    }

    void failed(String operation, Side side, Throwable thrown) {
        Instant now = clock.instant();
        String cause = redactValues ? thrown.getClass().getName() : TabText.cut(thrown.toString(), CAUSE_CHARS_MAX);
        SideFailure failure = new SideFailure(now, now, 1, side, operation, cause);
        long since;
        synchronized (logged) {
            SideFailure known = causes.add(failure);
            SideFailure before = logged.of(failure);
            boolean due = before == null || Duration.between(before.at(), now).compareTo(QUIET) >= 0;
            if (side == Side.ORIGIN || !due) {
                return;
            }
            logged.add(known);
            since = before == null || before.count() > known.count() ? known.count() : known.count() - before.count();
        }
        LOG.warn("target fails, operation={}, failures={}", operation, since, thrown);
    }

    /** The newest last. */
    List<SideFailure> last() {
        return causes.newestLast();
    }
}
