package io.anneal.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongConsumer;

/**
 * Counts values by their size, for hot paths: recording is one atomic addition, allocates nothing but a thread's first time,
 * and waits for nobody. Any thread.
 */
public final class ValueRecorder {
    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Threads share these, so that not all of them add to one cache line. */
    private static final int STRIPES = 4;

    /** So many values of a bucket make one call of the listener. */
    private static final int BATCH = 64;

    private final AtomicReferenceArray<long[]> stripes = new AtomicReferenceArray<>(STRIPES);
    private final LongConsumer batches;

    /** @param batches told how many values came, now and then and late by some, for what is too dear to do each time */
    ValueRecorder(LongConsumer batches) {
        this.batches = batches;
    }

    /** @param value nanoseconds, bytes or whatever is counted here; a negative one counts as 0 */
    public void record(long value) {
        int stripe = (int) Thread.currentThread().getId() & STRIPES - 1;
        long[] counts = stripes.getPlain(stripe);
        if (counts == null) {
            counts = allocate(stripe);
        }
        long before = (long) COUNTS.getAndAdd(counts, ValueBuckets.indexOf(value), 1L);
        if ((before & BATCH - 1) == BATCH - 1) {
            batches.accept(BATCH);
        }
    }

    private long[] allocate(int stripe) {
        stripes.compareAndSet(stripe, null, new long[ValueBuckets.COUNT]);
        return stripes.get(stripe);
    }

    /** Adds the count of each bucket. */
    void addTo(long[] target) {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            long[] counts = stripes.get(stripe);
            for (int i = 0; counts != null && i < target.length; i++) {
                target[i] += (long) COUNTS.getOpaque(counts, i);
            }
        }
    }
}
