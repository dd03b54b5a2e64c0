package io.anneal.bench.scenario;

import io.anneal.sstable.SSTableVersion;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How to measure.
 *
 * @param rowCount rows of every table
 * @param runs how often each contender is measured, in turn with the others
 * @param warmUpNanos processor time for which each contender works before, in four times that time at most, and once at least
 * @param version of the SSTables
 * @param cases names of the cases to run; empty for all
 * @param cassandra whether Cassandra is measured beside
 * @param nanoTime for durations
 * @param progress is told what is done now
 */
public record BenchConfig(
        int rowCount,
        int runs,
        long warmUpNanos,
        SSTableVersion version,
        Set<String> cases,
        boolean cassandra,
        LongSupplier nanoTime,
        Consumer<String> progress) {
    /** Some of them are less than ten rows, a partition of the small table. */
    public static final int ROWS_MIN = 1000;

    public BenchConfig {
        cases = Set.copyOf(cases);
        if (rowCount < ROWS_MIN || runs < 1 || warmUpNanos < 0) {
            throw new IllegalArgumentException(
                    "nothing to measure with, rows=" + rowCount + ", runs=" + runs + ", warmUpNanos=" + warmUpNanos);
        }
    }

    boolean wants(String caseName) {
        return cases.isEmpty() || cases.contains(caseName);
    }
}
