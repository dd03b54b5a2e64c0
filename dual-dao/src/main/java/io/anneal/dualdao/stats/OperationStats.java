package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Recorder;

/** The counts and latencies of one operation. Any thread may call; recording allocates nothing. */
public final class OperationStats {
    private static final int PRECISION_DIGITS = 2;

    private final String operation;
    private final MetricsSink sink;
    private final LongAdder[] counters = new LongAdder[Counter.values().length];
    private final Recorder[] latencies = {new Recorder(PRECISION_DIGITS), new Recorder(PRECISION_DIGITS)};

    OperationStats(String operation, MetricsSink sink) {
        this.operation = operation;
        this.sink = sink;
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new LongAdder();
        }
    }

    public void latency(Side side, long nanos) {
        latencies[side.ordinal()].recordValue(nanos);
        sink.latency(operation, side, nanos);
    }

    public void count(Counter counter) {
        counters[counter.ordinal()].increment();
        sink.count(operation, counter, 1);
    }

    public void count(Counter counter, long delta) {
        counters[counter.ordinal()].add(delta);
        sink.count(operation, counter, delta);
    }

    public long sum(Counter counter) {
        return counters[counter.ordinal()].sum();
    }
}
