package io.anneal.harness.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * What clients saw of the load: each operation from the moment at which it was due, so that waiting for a slow store is not left
 * out. Any thread may call.
 */
public final class LoadStats {
    private static final int PRECISION_DIGITS = 2;

    /** Of reads, or of writes and deletes. */
    private static final class Ended {
        private final LongAdder succeeded = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Recorder nanos = new Recorder(PRECISION_DIGITS);
    }

    private final LongAdder begun = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final Ended reads = new Ended();
    private final Ended writes = new Ended();

    LoadStats() {}

    void begun(boolean isLate) {
        begun.increment();
        if (isLate) {
            late.increment();
        }
    }

    void ended(boolean read, boolean success, long nanos) {
        Ended ended = read ? reads : writes;
        (success ? ended.succeeded : ended.failed).increment();
        ended.nanos.recordValue(Math.max(0, nanos));
    }

    public long begun() {
        return begun.sum();
    }

    public long succeeded() {
        return readsSucceeded() + writesSucceeded();
    }

    /** Operations that threw. */
    public long failed() {
        return readsFailed() + writesFailed();
    }

    long readsSucceeded() {
        return reads.succeeded.sum();
    }

    long readsFailed() {
        return reads.failed.sum();
    }

    long writesSucceeded() {
        return writes.succeeded.sum();
    }

    long writesFailed() {
        return writes.failed.sum();
    }

    /** Operations that began after they were due, since too many were under way. */
    public long late() {
        return late.sum();
    }

    /** Nanoseconds of reads since the last call. */
    public Histogram readNanos() {
        return reads.nanos.getIntervalHistogram();
    }

    /** Nanoseconds of writes and deletes since the last call. */
    public Histogram writeNanos() {
        return writes.nanos.getIntervalHistogram();
    }
}
