package io.anneal.io;

import io.anneal.environment.Sleeper;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Holds work to a number of bytes per second. Bytes are paid for after the fact: who takes them waits until all that was taken
 * before would have passed at this rate, so that a large piece passes at once and the next one waits. Of what was not used no
 * more than ten milliseconds are saved up: sleeps are longer than asked for, a millisecond at the least, which would else slow
 * down who takes small pieces. Safe to share between threads; waits without a lock.
 */
public final class RateLimiter {
    /** As fast as it goes. */
    public static final long UNLIMITED = 0;

    private static final double NANOS_PER_SECOND = 1e9;
    /** A change of the rate is seen after so long at the latest. */
    private static final long SLEEP_MAX_NANOS = 100_000_000;

    /** Who comes late by no more than that makes up for it. */
    private static final long LATENESS_MAX_NANOS = 10_000_000;

    private final LongSupplier nanoClock;
    private final Sleeper sleeper;
    /** When all that was taken will have passed, on the nano clock. */
    private final AtomicLong freeNanos;

    private volatile long bytesPerSecond;

    public RateLimiter(long bytesPerSecond, LongSupplier nanoClock, Sleeper sleeper) {
        this.nanoClock = nanoClock;
        this.sleeper = sleeper;
        freeNanos = new AtomicLong(nanoClock.getAsLong());
        bytesPerSecond(bytesPerSecond);
    }

    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Changes the rate, also for those who wait; {@link #UNLIMITED} lets them go. */
    public void bytesPerSecond(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("rate is negative, bytesPerSecond=" + rate);
        }
        bytesPerSecond = rate;
    }

    /**
     * Takes bytes, once all that were taken before have passed.
     *
     * @throws InterruptedException when the waiting thread is interrupted; nothing was taken then
     */
    public void acquire(long bytes) throws InterruptedException {
        acquire(bytes, () -> false);
    }

    /**
     * The same for who may be overtaken by something while it waits.
     *
     * @param gone what is waited for has no use any more: nothing is taken then
     */
    public void acquire(long bytes, BooleanSupplier gone) throws InterruptedException {
        while (!gone.getAsBoolean()) {
            long rate = bytesPerSecond;
            if (rate == UNLIMITED) {
                return;
            }
            long free = freeNanos.get();
            long now = nanoClock.getAsLong();
            long waitNanos = free - now;
            if (waitNanos > 0) {
                sleeper.sleepNanos(Math.min(waitNanos, SLEEP_MAX_NANOS));
                continue;
            }
            long costNanos = (long) Math.min(bytes * NANOS_PER_SECOND / rate, Long.MAX_VALUE / 4.0);
            if (freeNanos.compareAndSet(free, now + Math.max(waitNanos, -LATENESS_MAX_NANOS) + costNanos)) {
                return;
            }
        }
    }
}
