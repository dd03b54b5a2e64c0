package io.anneal.dualdao.route;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.OperationStats;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * When the same read is fired a second time at the same side: after a percentile of the side's own latency. No more than twice
 * the share of reads that are slower than that by definition, else a side that gets slow would get twice the load. Any thread
 * may call.
 */
final class Speculation {
    static final long NEVER = Long.MAX_VALUE;

    private static final long REFRESH_NANOS = 1_000_000_000;
    /** Of a read; the bucket holds some seconds reads. */
    private static final long TOKEN = 10_000;

    private static final long TOKENS_MAX = 10 * TOKEN;
    private static final double PERCENT = 100;

    private final double percentile;
    private final long earnedPerRead;
    private final OperationStats stats;
    private final LongSupplier nanoTime;
    private final AtomicLong tokens = new AtomicLong(TOKENS_MAX);
    private final AtomicLong[] refreshedNanos = {new AtomicLong(), new AtomicLong()};
    private final long[] delayNanos = {NEVER, NEVER};
    private final boolean[] known = new boolean[2];

    /** @param percentile 0 for never a second read */
    Speculation(double percentile, OperationStats stats, LongSupplier nanoTime) {
        this.percentile = percentile;
        this.stats = stats;
        this.nanoTime = nanoTime;
        earnedPerRead = (long) (2 * (PERCENT - percentile) / PERCENT * TOKEN);
    }

    boolean on() {
        return percentile > 0;
    }

    /** How long a read of that side may take before it is fired again; {@link #NEVER} if that is not known yet. */
    long delayNanos(Side side) {
        if (!on()) {
            return NEVER;
        }
        tokens.updateAndGet(now -> Math.min(TOKENS_MAX, now + earnedPerRead));
        refresh(side.ordinal(), side);
        return delayNanos[side.ordinal()];
    }

    private void refresh(int index, Side side) {
        long now = nanoTime.getAsLong();
        long last = refreshedNanos[index].get();
        if (known[index] && now - last < REFRESH_NANOS || !refreshedNanos[index].compareAndSet(last, now)) {
            return;
        }
        long nanos = stats.percentileNanos(side, percentile);
        delayNanos[index] = nanos == 0 ? NEVER : nanos;
        known[index] = nanos != 0;
    }

    /** Takes the right to fire one read more, if there is one left. */
    boolean take() {
        while (true) {
            long left = tokens.get();
            if (left < TOKEN) {
                return false;
            }
            if (tokens.compareAndSet(left, left - TOKEN)) {
                return true;
            }
        }
    }
}
