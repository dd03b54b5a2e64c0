package io.anneal.table;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What recorders counted in the last one to two minutes, as long as somebody asks at least that often; else since the last
 * question. Recording pays nothing for it. Safe to share.
 */
final class RecentValues {
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final List<ValueRecorder> recorders;
    private final LongSupplier nanoClock;

    private long[] older = new long[ValueBuckets.COUNT];
    private long[] newer = new long[ValueBuckets.COUNT];
    private long newerNanos;

    RecentValues(List<ValueRecorder> recorders, LongSupplier nanoClock) {
        this.recorders = List.copyOf(recorders);
        this.nanoClock = nanoClock;
        newerNanos = nanoClock.getAsLong();
    }

    private long[] total() {
        long[] counts = new long[ValueBuckets.COUNT];
        for (ValueRecorder recorder : recorders) {
            recorder.addTo(counts);
        }
        return counts;
    }

    /** Since the beginning. */
    long count() {
        long count = 0;
        for (long inBucket : total()) {
            count += inBucket;
        }
        return count;
    }

    synchronized RecordedSnapshot snapshot() {
        long[] counts = total();
        long[] recent = new long[counts.length];
        for (int i = 0; i < counts.length; i++) {
            recent[i] = counts[i] - older[i];
        }
        long now = nanoClock.getAsLong();
        if (now - newerNanos >= WINDOW_NANOS) {
            older = newer;
            newer = counts;
            newerNanos = now;
        }
        return new RecordedSnapshot(recent);
    }
}
