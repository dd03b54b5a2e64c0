package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;

/**
 * Takes every measurement as it is made, for the caller's own metrics. Called on the threads of operations: it must neither
 * block nor throw. Operations are few and fixed; no key ever comes by.
 */
public interface MetricsSink {
    /** A sink that takes nothing. */
    MetricsSink NONE = new MetricsSink() {
        @Override
        public void latency(String operation, Side side, long nanos) {}

        @Override
        public void count(String operation, Counter counter, long delta) {}
    };

    /** How long one call of one side took; in phases 1 and 5 of a sample of the calls. */
    void latency(String operation, Side side, long nanos);

    void count(String operation, Counter counter, long delta);

    /** How long a whole batch took on one side, from firing its first call to the last answer. */
    default void batchLatency(String batch, Side side, long nanos) {}
}
