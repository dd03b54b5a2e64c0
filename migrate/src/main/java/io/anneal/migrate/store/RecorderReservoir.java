package io.anneal.migrate.store;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * A reservoir over an HdrHistogram: each value counts, none costs memory, percentiles to a hundredth of their size. A snapshot is of all since the
 * last one but one, so that a page and a reporter that ask in turn both see something. Any thread.
 */
final class RecorderReservoir implements Reservoir {
    private static final int PRECISION_DIGITS = 2;

    private final Recorder recorder = new Recorder(PRECISION_DIGITS);
    private final Histogram[] intervals = {new Histogram(PRECISION_DIGITS), new Histogram(PRECISION_DIGITS)};

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, recent().getTotalCount());
    }

    @Override
    public void update(long value) {
        recorder.recordValue(Math.max(0, value));
    }

    @Override
    public synchronized Snapshot getSnapshot() {
        Histogram newest = intervals[1];
        newest.reset();
        recorder.getIntervalHistogramInto(newest);
        intervals[1] = intervals[0];
        intervals[0] = newest;
        return new HistogramSnapshot(recent());
    }

    private synchronized Histogram recent() {
        Histogram both = intervals[0].copy();
        both.add(intervals[1]);
        return both;
    }
}
