package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.HdrHistogram.AbstractHistogram;

/**
 * What one instance counted and timed, for people.
 *
 * @param operations by name, sorted
 * @param batches by name, sorted
 * @param mismatches the last ones, newest last
 * @param fallbackLastHitMillis since 1970, of the last read that the origin answered since the target had nothing
 */
public record StatsSnapshot(
        List<Operation> operations,
        List<Batch> batches,
        List<Mismatch> mismatches,
        OptionalLong fallbackLastHitMillis) {
    public StatsSnapshot {
        operations = List.copyOf(operations);
        batches = List.copyOf(batches);
        mismatches = List.copyOf(mismatches);
    }

    /**
     * One operation.
     *
     * @param counters those that are not 0, since the start
     */
    public record Operation(String name, Map<Counter, Long> counters, Latency origin, Latency target) {
        public Operation {
            counters = Map.copyOf(counters);
        }

        public Latency latency(Side side) {
            return side == Side.ORIGIN ? origin : target;
        }
    }

    /** The batches of one name. */
    public record Batch(String name, Latency origin, Latency target) {
        public Latency latency(Side side) {
            return side == Side.ORIGIN ? origin : target;
        }
    }

    /** The durations of a side's calls: all of them, and those since the snapshot before this one. */
    public record Latency(Distribution sinceStart, Distribution recent) {}

    /** Durations in nanoseconds, all 0 if there were none. */
    public record Distribution(long count, long p50Nanos, long p99Nanos, long p999Nanos, long maxNanos) {
        public static Distribution of(AbstractHistogram histogram) {
            if (histogram.getTotalCount() == 0) {
                return new Distribution(0, 0, 0, 0, 0);
            }
            return new Distribution(
                    histogram.getTotalCount(),
                    histogram.getValueAtPercentile(50),
                    histogram.getValueAtPercentile(99),
                    histogram.getValueAtPercentile(99.9),
                    histogram.getMaxValue());
        }
    }

    /** Of all operations. */
    public long sum(Counter counter) {
        return operations.stream()
                .mapToLong(operation -> operation.counters().getOrDefault(counter, 0L))
                .sum();
    }
}
