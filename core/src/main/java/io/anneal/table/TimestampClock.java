package io.anneal.table;

import io.anneal.environment.LogThrottle;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives out a store's timestamps: by its clock, but always more than the last one and than what SSTables hold that came from
 * elsewhere, or the next write to one of their rows would lose without a word. What lies more than a day ahead of the clock is
 * not followed, whether the store's own clock was wrong once or an SSTable says so: it would spoil all later timestamps. Any
 * thread.
 */
final class TimestampClock {
    private static final Logger LOG = LoggerFactory.getLogger(TimestampClock.class);

    /** Data further ahead of the clock was not stamped by a right one. */
    private static final long AHEAD_MAX_MICROS = TimeUnit.DAYS.toMicros(1);

    /** The start of 2020. A clock that says less was reset, and it is the one that is wrong: timestamps go on after the last. */
    private static final long RIGHT_MIN_MICROS = 1_577_836_800_000_000L;

    private static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

    private final String store;
    private final InstantSource clock;
    private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
    /** What was given out before the clock went ahead by more than a day: where to go on should it come back. */
    private volatile long beforeLeapMicros = Long.MIN_VALUE;
    /** The largest that was ever given out, followed or not. */
    private final AtomicLong largest = new AtomicLong(Long.MIN_VALUE);

    private final LogThrottle warnings;

    /** @param store names it in warnings */
    TimestampClock(String store, InstantSource clock, LongSupplier nanoTime) {
        this.store = store;
        this.clock = clock;
        warnings = new LogThrottle(nanoTime, WARNING_INTERVAL);
    }

    /** Microseconds since 1970, never the same or less than before, unless that was more than a day ahead of the clock. */
    long next() {
        long nowMicros = clockMicros();
        while (true) {
            long before = last.get();
            boolean leavesFuture = isTooFar(before, nowMicros);
            long next = leavesFuture ? afterLeap(nowMicros) : Math.max(nowMicros, before + 1);
            if (isTooFar(next, before)) {
                beforeLeapMicros = before;
            }
            if (last.compareAndSet(before, next)) {
                if (leavesFuture) {
                    largest.accumulateAndGet(before, Math::max);
                    warn(before, nowMicros);
                }
                return next;
            }
        }
    }

    private long afterLeap(long nowMicros) {
        long before = beforeLeapMicros;
        return isTooFar(before, nowMicros) ? nowMicros : Math.max(nowMicros, before + 1);
    }

    private long clockMicros() {
        Instant now = clock.instant();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    }

    private static boolean isTooFar(long micros, long nowMicros) {
        return nowMicros >= RIGHT_MIN_MICROS && micros > nowMicros + AHEAD_MAX_MICROS;
    }

    /** The last one given out. */
    long last() {
        return last.get();
    }

    /** Goes on after what an earlier opening gave out, unless that is too far ahead. */
    void goOnAfter(long micros) {
        largest.accumulateAndGet(micros, Math::max);
        if (!isTooFar(micros, clockMicros())) {
            last.accumulateAndGet(micros, Math::max);
        }
    }

    /** Goes on after what a live SSTable holds, unless that is too far ahead of any clock: it may be anybody's. */
    void follow(LiveSSTable sstable) {
        long micros = maxMicros(sstable);
        if (micros <= clockMicros() + AHEAD_MAX_MICROS) {
            last.accumulateAndGet(micros, Math::max);
        }
    }

    /** The same of one that comes from elsewhere, whose owner is told. */
    void followForeign(LiveSSTable sstable, String table) {
        long micros = maxMicros(sstable);
        long nowMicros = clockMicros();
        if (micros > nowMicros + AHEAD_MAX_MICROS) {
            LOG.warn(
                    "imported SSTable has timestamps more than a day ahead of the clock, writes to its rows are not seen before"
                            + " the store's timestamps are there, table={}, sstable={}, maxTimestampMicros={}, clockMicros={}",
                    table,
                    sstable,
                    micros,
                    nowMicros);
        }
        follow(sstable);
    }

    /** The largest timestamp in an SSTable; one without any says the largest number. */
    static long maxMicros(LiveSSTable sstable) {
        long micros = sstable.reader().statistics().maxTimestampMicros();
        return micros == Long.MAX_VALUE ? Long.MIN_VALUE : micros;
    }

    /**
     * By how many seconds the clock is behind what was given out, or is in SSTables.
     *
     * @param dataMicros the largest timestamp of all SSTables
     */
    long aheadSeconds(long dataMicros) {
        return aheadSeconds(aheadMicros(dataMicros), clockMicros());
    }

    private long aheadMicros(long dataMicros) {
        return Math.max(dataMicros, Math.max(largest.get(), last.get()));
    }

    private static long aheadSeconds(long micros, long nowMicros) {
        return micros <= nowMicros ? 0 : TimeUnit.MICROSECONDS.toSeconds(Math.max(0, micros - nowMicros));
    }

    /** Tells of timestamps that are too far ahead, or of a clock that is too far behind, when a store has been opened. */
    void warnOfFuture(long dataMicros) {
        long nowMicros = clockMicros();
        long micros = aheadMicros(dataMicros);
        if (isTooFar(micros, nowMicros)) {
            warn(micros, nowMicros);
        } else if (nowMicros < RIGHT_MIN_MICROS && micros > nowMicros + AHEAD_MAX_MICROS) {
            LOG.warn(
                    "clock is before 2020 and counts as reset: timestamps go on after the last one. Set it: what expires"
                            + " and what is purged depends on it, store={}, aheadSeconds={}, timestampMicros={}, clockMicros={}",
                    store,
                    aheadSeconds(micros, nowMicros),
                    micros,
                    nowMicros);
        }
    }

    private void warn(long micros, long nowMicros) {
        if (warnings.happened().isEmpty()) {
            return;
        }
        LOG.warn(
                "timestamps more than a day ahead of the clock were given out or are in SSTables, and are not followed: new"
                        + " writes have the clock's time, and lose against what is stamped so. If the clock is behind, set it"
                        + " before anything is written; if it was ahead, write those rows again as docs/embed.md says,"
                        + " store={}, aheadSeconds={}, timestampMicros={}, clockMicros={}",
                store,
                aheadSeconds(micros, nowMicros),
                micros,
                nowMicros);
    }
}
