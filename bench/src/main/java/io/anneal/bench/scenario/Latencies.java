package io.anneal.bench.scenario;

import java.util.Arrays;

/** Times of single operations, kept in the order of their sizes. */
final class Latencies {
    private static final double P99 = 0.99;

    private final long[] sortedNanos;

    /** @param nanos one at least; not copied, and sorted */
    Latencies(long[] nanos) {
        if (nanos.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        Arrays.sort(nanos);
        sortedNanos = nanos;
    }

    long medianNanos() {
        return sortedNanos[sortedNanos.length / 2];
    }

    /** What at most one operation in a hundred exceeds. */
    long p99Nanos() {
        return sortedNanos[(int) Math.ceil(sortedNanos.length * P99) - 1];
    }

    /** Adds both to a case. */
    void addTo(Series series, String caseName, BenchSystem system) {
        series.addNanos(caseName, system, BenchMetric.LATENCY_MEDIAN, medianNanos());
        series.addNanos(caseName, system, BenchMetric.LATENCY_P99, p99Nanos());
    }
}
