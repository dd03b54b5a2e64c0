package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.util.concurrent.atomic.LongAdder;

/** The counts and latencies of one operation. Any thread may call; recording allocates nothing. */
public final class OperationStats {
    private final String operation;
    private final MetricsSink sink;
    private final int timingMask;
    private final Runnable fallbackHit;
    private final LongAdder[] counters = new LongAdder[Counter.values().length];
    private final Latencies origin = new Latencies();
    private final Latencies target = new Latencies();

    /** Torn and lost increments only shift which calls are timed. */
    private int calls;

    /** @param timingSample a power of two */
    OperationStats(String operation, MetricsSink sink, int timingSample, Runnable fallbackHit) {
        this.operation = operation;
        this.sink = sink;
        this.fallbackHit = fallbackHit;
        timingMask = timingSample - 1;
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new LongAdder();
        }
    }

    public String operation() {
        return operation;
    }

    /** Whether this call is one of the sample that is timed where not all are. Asking counts. */
    public boolean sampled() {
        return (calls++ & timingMask) == 0;
    }

    /** How long a call of one side took. */
    public void latency(Side side, long nanos) {
        latencies(side).record(nanos);
        sink.latency(operation, side, nanos);
    }

    public void count(Counter counter) {
        count(counter, 1);
    }

    public void count(Counter counter, long delta) {
        counters[counter.ordinal()].add(delta);
        if (counter == Counter.FALLBACK_HITS) {
            fallbackHit.run();
        }
        sink.count(operation, counter, delta);
    }

    /** Since the start. */
    public long sum(Counter counter) {
        return counters[counter.ordinal()].sum();
    }

    /**
     * The nanoseconds that so many percent of a side's calls stayed below, 0 if there were none. Sorts out what was recorded
     * since the last time anybody asked: for once a second, not for every call.
     */
    public long percentileNanos(Side side, double percentile) {
        return latencies(side).percentileNanos(percentile);
    }

    /** Whether it reads; of one that nobody called yet, no. */
    boolean reads() {
        return sum(Counter.READS) > 0;
    }

    Latencies latencies(Side side) {
        return side == Side.ORIGIN ? origin : target;
    }
}
