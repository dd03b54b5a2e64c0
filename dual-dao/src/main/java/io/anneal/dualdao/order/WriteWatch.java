package io.anneal.dualdao.order;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Tells whether keys were being written while two sides were read, so that answers which had to differ are not compared. By the
 * stripes of {@link KeyOrder}. Any thread may call.
 */
public final class WriteWatch {
    private static final long WRITING = -1;

    private final AtomicIntegerArray underWay = new AtomicIntegerArray(KeyOrder.STRIPES);
    private final AtomicLongArray begun = new AtomicLongArray(KeyOrder.STRIPES);

    public void begin(int[] stripes) {
        for (int stripe : stripes) {
            underWay.incrementAndGet(stripe);
            begun.incrementAndGet(stripe);
        }
    }

    public void end(int[] stripes) {
        for (int stripe : stripes) {
            underWay.decrementAndGet(stripe);
        }
    }

    /** To be held against {@link #quietSince} later. */
    public long mark(int[] stripes) {
        long mark = 0;
        for (int stripe : stripes) {
            mark += begun.get(stripe);
            if (underWay.get(stripe) > 0) {
                return WRITING;
            }
        }
        return mark;
    }

    /** Whether no write was under way at any time since. */
    public boolean quietSince(long mark, int[] stripes) {
        return mark != WRITING && mark == mark(stripes);
    }

    /** Whether no other write was under way at any time since; asked by one that began after it took the mark. */
    public boolean aloneSince(long mark, int[] stripes) {
        long now = 0;
        for (int stripe : stripes) {
            now += begun.get(stripe);
        }
        return mark != WRITING && now == mark + stripes.length;
    }
}
