package io.anneal.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A clock that stands still until it is told to move: the time of day, and beside it a reading in nanoseconds as that of
 * {@link System#nanoTime()}, which never goes back. Safe for any thread: what was told is seen by whoever reads later.
 */
public final class ManualClock extends Clock {
    /** Some time of day, the same in every run. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final class Reading {
        Instant now;
        long nanos;
    }

    private final Reading reading;
    private final ZoneId zone;

    private ManualClock(Reading reading, ZoneId zone) {
        this.reading = reading;
        this.zone = zone;
    }

    /** Stands at {@link #START}, its nanoseconds at zero. */
    public static ManualClock create() {
        return at(START);
    }

    public static ManualClock at(Instant now) {
        Reading reading = new Reading();
        reading.now = now;
        return new ManualClock(reading, ZoneOffset.UTC);
    }

    /** Time passes: both readings move. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not go back, use set, duration=" + duration);
        }
        synchronized (reading) {
            reading.now = reading.now.plus(duration);
            reading.nanos = Math.addExact(reading.nanos, duration.toNanos());
            reading.notifyAll();
        }
    }

    /** Somebody sets the clock, maybe back: the time of day jumps, no nanosecond passes. */
    public void set(Instant now) {
        synchronized (reading) {
            reading.now = now;
        }
    }

    public long nanoTime() {
        synchronized (reading) {
            return reading.nanos;
        }
    }

    /** Waits until so many nanoseconds have passed, which somebody else has to see to. */
    public void sleepNanos(long durationNanos) throws InterruptedException {
        synchronized (reading) {
            long endNanos = Math.addExact(reading.nanos, durationNanos);
            while (reading.nanos < endNanos) {
                reading.wait();
            }
        }
    }

    @Override
    public Instant instant() {
        synchronized (reading) {
            return reading.now;
        }
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** The same clock, which moves with this one. */
    @Override
    public ManualClock withZone(ZoneId other) {
        return new ManualClock(reading, other);
    }

    @Override
    public String toString() {
        synchronized (reading) {
            return "ManualClock[now=" + reading.now + ", nanos=" + reading.nanos + "]";
        }
    }
}
