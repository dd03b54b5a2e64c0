package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.util.function.LongSupplier;

/**
 * One batch on its way. Each side's latency runs from the batch's begin to the last answer of that side, and is recorded once
 * all calls were made and that side has nothing under way; in test mode the target may be long behind. Any thread may call.
 */
public final class BatchSpan {
    private final BatchStats stats;
    private final LongSupplier nanoTime;
    private final long beginNanos;
    private final int[] pending = new int[Side.values().length];
    private final long[] endNanos = new long[Side.values().length];
    private final boolean[] waiting = new boolean[Side.values().length];
    private boolean sealed;

    public BatchSpan(BatchStats stats, LongSupplier nanoTime) {
        this.stats = stats;
        this.nanoTime = nanoTime;
        beginNanos = nanoTime.getAsLong();
    }

    public synchronized void begin(Side side) {
        pending[side.ordinal()]++;
        waiting[side.ordinal()] |= !sealed;
    }

    public synchronized void end(Side side) {
        pending[side.ordinal()]--;
        endNanos[side.ordinal()] = nanoTime.getAsLong();
        record(side);
    }

    /** Takes a begun call back, of a side that was not called after all. */
    public synchronized void drop(Side side) {
        pending[side.ordinal()]--;
        record(side);
    }

    /** All calls were made. */
    public synchronized void seal() {
        sealed = true;
        record(Side.ORIGIN);
        record(Side.TARGET);
    }

    private void record(Side side) {
        int index = side.ordinal();
        if (sealed && waiting[index] && pending[index] == 0 && endNanos[index] != 0) {
            waiting[index] = false;
            stats.latency(side, endNanos[index] - beginNanos);
        }
    }
}
