package io.anneal.environment;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** Keeps a log from repeating itself: what happens again and again is due at first, and then once an interval. Any thread. */
public final class LogThrottle {
    private final LongSupplier nanoTime;
    private final Duration interval;
    private int times;
    private long loggedNanos;

    public LogThrottle(LongSupplier nanoTime, Duration interval) {
        this.nanoTime = nanoTime;
        this.interval = interval;
    }

    /** Counts that it happened; returns how many times by now if a line is due. */
    public synchronized OptionalInt happened() {
        long now = nanoTime.getAsLong();
        times++;
        if (times > 1 && now - loggedNanos < interval.toNanos()) {
            return OptionalInt.empty();
        }
        loggedNanos = now;
        return OptionalInt.of(times);
    }

    /** Forgets what happened: the next time is the first. */
    public synchronized void ended() {
        times = 0;
    }
}
