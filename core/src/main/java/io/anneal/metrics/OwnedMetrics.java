package io.anneal.metrics;

import java.io.Closeable;
import java.util.SortedMap;

/** What one store or node counts of one subject, as those see it who read it. {@code docs/metrics.md} has the names. Any thread. */
public abstract class OwnedMetrics implements Closeable {
    protected final MetricsRegistry registry;

    protected OwnedMetrics(MetricsRegistry registry) {
        this.registry = registry;
    }

    /** All numbers as they stand, by their names. */
    public SortedMap<String, Number> values() {
        return registry.values();
    }

    /** All numbers as they stand, in Prometheus' text format. */
    public String text() {
        return registry.text();
    }

    /** Shows everything as MBeans, in microseconds and values per second, until this is closed. */
    public void startJmx() {
        registry.startJmx();
    }

    /** Takes the MBeans away. */
    @Override
    public void close() {
        registry.close();
    }
}
