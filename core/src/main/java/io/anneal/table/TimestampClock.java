package io.anneal.table;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives out a store's timestamps: by its clock, but always more than the last one and than what SSTables hold that came from
 * elsewhere, or the next write to one of their rows would lose without a word. Any thread.
 */
final class TimestampClock {
    private static final Logger LOG = LoggerFactory.getLogger(TimestampClock.class);

    /** Data further ahead of the clock was not stamped by one, and following it would spoil the timestamps for ever. */
    private static final long AHEAD_MAX_MICROS = TimeUnit.DAYS.toMicros(1);

    private final InstantSource clock;
    private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

    TimestampClock(InstantSource clock) {
        this.clock = clock;
    }

    /** Microseconds since 1970, never the same or less than before. */
    long next() {
        long clockMicros = clockMicros();
        return last.updateAndGet(before -> Math.max(clockMicros, before + 1));
    }

    private long clockMicros() {
        Instant now = clock.instant();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    }

    /** The last one given out. */
    long last() {
        return last.get();
    }

    /** What an earlier opening gave out. */
    void goOnAfter(long micros) {
        last.accumulateAndGet(micros, Math::max);
    }

    /** Goes on after what a live SSTable holds, unless that is absurd. */
    void follow(LiveSSTable sstable) {
        long micros = maxMicros(sstable);
        if (!isAbsurd(micros)) {
            goOnAfter(micros);
        }
    }

    /** The same of one that comes from elsewhere, whose owner is told. */
    void followForeign(LiveSSTable sstable, String table) {
        long micros = maxMicros(sstable);
        if (isAbsurd(micros) && micros > last()) {
            LOG.warn(
                    "imported SSTable has timestamps more than a day ahead of the clock, writes to its rows are not seen before"
                            + " the store's timestamps are there, table={}, sstable={}, maxTimestampMicros={}, clockMicros={}",
                    table,
                    sstable,
                    micros,
                    clockMicros());
        }
        follow(sstable);
    }

    private boolean isAbsurd(long micros) {
        return micros > clockMicros() + AHEAD_MAX_MICROS;
    }

    /** An SSTable without any says the largest number. */
    private static long maxMicros(LiveSSTable sstable) {
        long micros = sstable.reader().statistics().maxTimestampMicros();
        return micros == Long.MAX_VALUE ? Long.MIN_VALUE : micros;
    }
}
