package io.anneal.migrate.report;

import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.util.function.ToLongFunction;

/** The lines of a chart. */
enum Percentile {
    P50("p50", Distribution::p50Nanos),
    P99("p99", Distribution::p99Nanos),
    P999("p999", Distribution::p999Nanos);

    private final String label;
    private final ToLongFunction<Distribution> nanos;

    Percentile(String label, ToLongFunction<Distribution> nanos) {
        this.label = label;
        this.nanos = nanos;
    }

    String label() {
        return label;
    }

    long nanos(Distribution distribution) {
        return nanos.applyAsLong(distribution);
    }
}
