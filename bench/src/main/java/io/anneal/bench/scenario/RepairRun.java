package io.anneal.bench.scenario;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a repair took.
 *
 * @param sentBytes of all messages between replicas, as sockets were given them
 * @param readBytes of all replicas, uncompressed, where that is known
 * @param othersCpuSeconds of what is no process of the benchmark
 */
record RepairRun(Run run, long sentBytes, OptionalLong readBytes, OptionalDouble othersCpuSeconds) {
    void addTo(Series series, String caseName, BenchSystem system) {
        series.add(caseName, system, run);
        series.add(caseName, system, BenchMetric.BYTES_SENT, sentBytes);
        readBytes.ifPresent(bytes -> series.add(caseName, system, BenchMetric.BYTES_READ, bytes));
        othersCpuSeconds.ifPresent(seconds -> series.add(caseName, system, BenchMetric.OTHERS_CPU, seconds));
    }
}
