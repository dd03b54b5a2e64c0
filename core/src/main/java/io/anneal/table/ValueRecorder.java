package io.anneal.table;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Meter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts values by their size, for hot paths: recording allocates nothing but the first time, and waits for nobody. Any thread.
 * Dropwizard's reservoirs allocate for a value, so HdrHistogram is recorded into. A store's are looked at through
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
    private final Meter meter;
    private final AtomicLong unmarked = new AtomicLong();
    private final Histogram[] minutes = {new Histogram(SIGNIFICANT_DIGITS), new Histogram(SIGNIFICANT_DIGITS)};

    /** Made by the first value: many a table is never read, and this takes some tens of KB. */
    private volatile Recorder recorder;

    private Histogram interval;
    private long minuteStartNanos;

    /** @param nanoClock says which values are recent */
    public ValueRecorder(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        meter = new Meter(new Clock() {
            @Override
            public long getTick() {
                return nanoClock.getAsLong();
            }
        });
        minuteStartNanos = nanoClock.getAsLong();
    }

    /** @param value nanoseconds, bytes or whatever is counted here; a negative one counts as 0 */
    public void record(long value) {
        Recorder target = recorder;
        if (target == null) {
            target = start();
        }
        target.recordValue(Math.max(0, Math.min(value, VALUE_MAX)));
        if (unmarked.incrementAndGet() >= BATCH) {
            meter();
        }
    }

    private synchronized Recorder start() {
        if (recorder == null) {
            recorder = new Recorder(VALUE_MAX, SIGNIFICANT_DIGITS);
        }
        return recorder;
    }

    /** How many values came, and how many a second. */
    Meter meter() {
        meter.mark(unmarked.getAndSet(0));
        return meter;
    }

    /** Adds what came in the last one to two minutes if somebody asks at least that often, else since the last question. */
    public synchronized void addRecent(Histogram target) {
        if (recorder == null) {
            return;
        }
        interval = recorder.getIntervalHistogram(interval);
        minutes[0].add(interval);
        long nowNanos = nanoClock.getAsLong();
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
