package io.anneal.job;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * Which failed units are tried again, and how often.
 *
 * @param attempts how often a unit is tried at most
 * @param first how long it waits before the second time; each wait is twice the one before
 * @param passing what else a unit fails with is not tried again
 * @param noRoom what counts as no attempt: there is no room now
 * @param patience for how long a unit comes again for want of room
 */
record RetryPolicy(
        int attempts,
        Duration first,
        Duration longest,
        Predicate<Exception> passing,
        Predicate<Exception> noRoom,
        Duration patience) {
    static final RetryPolicy DEFAULT = new RetryPolicy(
            5, Duration.ofSeconds(1), Duration.ofSeconds(30), failure -> true, failure -> false, Duration.ZERO);

    RetryPolicy withAttempts(int count, Duration firstWait, Duration longestWait) {
        return new RetryPolicy(count, firstWait, longestWait, passing, noRoom, patience);
    }

    RetryPolicy withPassing(Predicate<Exception> failures) {
        return new RetryPolicy(attempts, first, longest, failures, noRoom, patience);
    }

    RetryPolicy withPatience(Predicate<Exception> failures, Duration time) {
        return new RetryPolicy(attempts, first, longest, passing, failures, time);
    }
}
