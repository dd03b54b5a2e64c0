package io.anneal.migrate.page;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a chart shows of one moment: of all instances together.
 *
 * @param at milliseconds since 1970, by this server's clock
 * @param latencies by call and side, as {@code read.origin}; absent where nothing was measured
 * @param rates a second, by name, without those that are 0; empty where no instance said anything
 */
record Point(long at, Map<String, Latency> latencies, Map<String, Double> rates) {
    /** In microseconds, beside how many calls they are of. An array in JSON: there are thousands of them. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Latency(double p50, double p99, double p999, long calls) {
        private static final double NANOS_PER_MICRO = 1_000;

        /** Of nanoseconds. */
        static Latency of(Histogram histogram) {
            return new Latency(
                    micros(histogram, 50), micros(histogram, 99), micros(histogram, 99.9), histogram.getTotalCount());
        }

        private static double micros(Histogram histogram, double percentile) {
            return round(histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO);
        }
    }

    /** A moment of which nobody told anything. */
    static Point gap(long at) {
        return new Point(at, Map.of(), Map.of());
    }

    /** To a tenth: nobody sees more in a chart, and there are many. */
    static double round(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
