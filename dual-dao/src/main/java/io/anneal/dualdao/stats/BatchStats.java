package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;

/**
 * How long whole batches took: a request that fires tens of reads at once is as slow as the slowest of them, which the
 * latencies of single reads don't tell. Any thread may call; recording allocates nothing.
 */
public final class BatchStats {
    private final String batch;
    private final MetricsSink sink;
    private final Latencies origin = new Latencies();
    private final Latencies target = new Latencies();

    BatchStats(String batch, MetricsSink sink) {
        this.batch = batch;
        this.sink = sink;
    }

    public String batch() {
        return batch;
    }

    /** From firing the first call to the last answer of that side. */
    public void latency(Side side, long nanos) {
        latencies(side).record(nanos);
        sink.batchLatency(batch, side, nanos);
    }

    Latencies latencies(Side side) {
        return side == Side.ORIGIN ? origin : target;
    }
}
