package io.anneal.bench.scenario;

import java.util.Arrays;

/**
 * One measured number of one contender, with its spread over the runs.
 *
 * @param scenario as {@code sstable}
 * @param caseName as {@code scan-1k}
 * @param runs of which the three numbers are; the contender was warm before the first
 */
public record BenchRecord(
        String scenario,
        String caseName,
        BenchSystem system,
        BenchMetric metric,
        int runs,
        double min,
        double median,
        double max) {
    public BenchRecord {
        if (runs < 1 || !(min <= median && median <= max) || !Double.isFinite(min) || !Double.isFinite(max)) {
            throw new IllegalArgumentException("not a spread, case=" + caseName + ", metric=" + metric + ", runs="
                    + runs + ", min=" + min + ", median=" + median + ", max=" + max);
        }
    }

    /** Of the values of all runs. */
    static BenchRecord of(String scenario, String caseName, BenchSystem system, BenchMetric metric, double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new BenchRecord(
                scenario, caseName, system, metric, sorted.length, sorted[0], median, sorted[sorted.length - 1]);
    }
}
