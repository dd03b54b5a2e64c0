package io.anneal.metrics;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Meter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts values by their size, for hot paths: recording allocates nothing but the first time, and waits for nobody. Any thread.
 * Dropwizard's reservoirs allocate for a value, so HdrHistogram is recorded into. They are looked at through
 * {@link RecordedTimer} and {@link RecordedHistogram}.
 */
public final class ValueRecorder {
    /** Larger values count as this one: as nanoseconds, an hour. */
    static final long VALUE_MAX = TimeUnit.HOURS.toNanos(1);

    static final int SIGNIFICANT_DIGITS = 2;

    /** To mark a meter costs more than all else here. */
    private static final int BATCH = 64;

    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final AtomicLong unmarked = new AtomicLong();

    /** Made by the first value: many a table is never read, and this takes some tens of KB. */
    private volatile Recorded recorded;

    /** @param nanoClock says which values are recent */
    public ValueRecorder(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** @param value nanoseconds, bytes or whatever is counted here; a negative one counts as 0 */
    public void record(long value) {
        Recorded target = recorded;
        if (target == null) {
            target = start();
        }
        target.recorder.recordValue(Math.max(0, Math.min(value, VALUE_MAX)));
        if (unmarked.incrementAndGet() >= BATCH) {
            meter();
        }
    }

    private synchronized Recorded start() {
        if (recorded == null) {
            recorded = new Recorded(newMeter(), nanoClock.getAsLong());
        }
        return recorded;
    }

    private Meter newMeter() {
        return new Meter(new Clock() {
            @Override
            public long getTick() {
                return nanoClock.getAsLong();
            }
        });
    }

    /** How many values came, and how many a second since the first one. */
    Meter meter() {
        Recorded target = recorded;
        if (target == null) {
            return newMeter();
        }
        target.meter.mark(unmarked.getAndSet(0));
        return target.meter;
    }

    /** Adds what came in the last one to two minutes if somebody asks at least that often, else since the last question. */
    public void addRecent(Histogram target) {
        Recorded source = recorded;
        if (source != null) {
            source.addRecent(target, nanoClock.getAsLong());
        }
    }

    private static final class Recorded {
        private final Recorder recorder = new Recorder(VALUE_MAX, SIGNIFICANT_DIGITS);
        private final Meter meter;
        private final Histogram[] minutes = {new Histogram(SIGNIFICANT_DIGITS), new Histogram(SIGNIFICANT_DIGITS)};

        private Histogram interval;
        private long minuteStartNanos;

        Recorded(Meter meter, long nowNanos) {
            this.meter = meter;
            minuteStartNanos = nowNanos;
        }

        synchronized void addRecent(Histogram target, long nowNanos) {
            interval = recorder.getIntervalHistogram(interval);
            minutes[0].add(interval);
            if (nowNanos - minuteStartNanos >= WINDOW_NANOS) {
                Histogram older = minutes[0];
                minutes[0] = minutes[1];
                minutes[1] = older;
                minutes[0].reset();
                minuteStartNanos = nowNanos;
            }
            target.add(minutes[0]);
            target.add(minutes[1]);
        }
    }
}
