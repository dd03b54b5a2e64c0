package io.anneal.harness.report;

import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.util.function.ToLongFunction;

/** The lines of a chart. */
enum Percentile {
    P50("p50", Ink.P50, Distribution::p50Nanos),
    P99("p99", Ink.P99, Distribution::p99Nanos),
    P999("p999", Ink.P999, Distribution::p999Nanos);

    private final String label;
    private final Ink ink;
    private final ToLongFunction<Distribution> nanos;

    Percentile(String label, Ink ink, ToLongFunction<Distribution> nanos) {
        this.label = label;
        this.ink = ink;
        this.nanos = nanos;
    }

    String label() {
        return label;
    }

    Ink ink() {
        return ink;
    }

    long nanos(Distribution distribution) {
        return nanos.applyAsLong(distribution);
    }
}
