package io.anneal.table;

import com.codahale.metrics.Counting;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Sampling;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.jmx.JmxReporter;
import java.io.Closeable;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * All metrics of one store, kept in a Dropwizard registry that JMX shows on demand. What feeds it is made here; what reads it
 * may be any thread and slows nobody down.
 */
public final class MetricsRegistry implements Closeable {
    static final String DOMAIN = "io.anneal";

    private final String store;
    private final LongSupplier nanoClock;
    private final MetricRegistry registry = new MetricRegistry();
    private final Map<String, MetricName> names = new ConcurrentHashMap<>();

    private JmxReporter jmx;

    /** @param store tells this store's MBeans from another's, as its directory does */
    public MetricsRegistry(String store, LongSupplier nanoClock) {
        this.store = store;
        this.nanoClock = nanoClock;
    }

    /** Metrics of a table that begin at nothing. */
    public TableMetrics addTable(String qualifiedName, int shardCount) {
        return new TableMetrics(this, qualifiedName, shardCount);
    }

    /** Forgets a table that is there no more. */
    public void removeTable(TableMetrics table) {
        registry.removeMatching((name, metric) -> names.get(name).table().equals(table.qualifiedName()));
        names.values().removeIf(name -> name.table().equals(table.qualifiedName()));
    }

    /** Nanoseconds that something of the whole store takes. */
    public ValueRecorder addTimer(String name) {
        ValueRecorder recorder = new ValueRecorder(nanoClock);
        addTimer(MetricName.ofStore(name), List.of(recorder));
        return recorder;
    }

    /** Sizes of something of the whole store. */
    public ValueRecorder addHistogram(String name) {
        ValueRecorder recorder = new ValueRecorder(nanoClock);
        addHistogram(MetricName.ofStore(name), List.of(recorder));
        return recorder;
    }

    /** Something of the whole store that only grows. */
    public LongAdder addCounter(String name) {
        LongAdder counter = new LongAdder();
        add(MetricName.ofStore(name), counter::sum);
        return counter;
    }

    /** A number of the whole store as it stands when somebody asks. */
    public void addGauge(String name, LongSupplier value) {
        add(MetricName.ofStore(name), value);
    }

    void addTimer(MetricName name, List<ValueRecorder> recorders) {
        register(name, new RecordedTimer(recorders));
    }

    void addHistogram(MetricName name, List<ValueRecorder> recorders) {
        register(name, new RecordedHistogram(recorders));
    }

    void add(MetricName name, LongSupplier value) {
        register(name, (Gauge<Long>) value::getAsLong);
    }

    private void register(MetricName name, Metric metric) {
        names.put(name.toString(), name);
        registry.register(name.toString(), metric);
    }

    LongSupplier nanoClock() {
        return nanoClock;
    }

    /**
     * All numbers as they stand, by the names in {@code docs/metrics.md}: a timer or histogram as {@code count}, {@code p50},
     * {@code p99}, {@code p999} and {@code max}, a timer's in nanoseconds.
     */
    public SortedMap<String, Number> values() {
        SortedMap<String, Number> values = new TreeMap<>();
        registry.getMetrics().forEach((name, metric) -> {
            if (metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number) {
                values.put(name, number);
            } else if (metric instanceof Sampling sampling) {
                String unit = metric instanceof Timer ? "-nanos" : "";
                Snapshot snapshot = sampling.getSnapshot();
                values.put(name + ".count", ((Counting) metric).getCount());
                values.put(name + ".p50" + unit, (long) snapshot.getMedian());
                values.put(name + ".p99" + unit, (long) snapshot.get99thPercentile());
                values.put(name + ".p999" + unit, (long) snapshot.get999thPercentile());
                values.put(name + ".max" + unit, snapshot.getMax());
            }
        });
        return values;
    }

    /** Shows everything as MBeans, in microseconds and values per second, until this is closed. */
    public synchronized void startJmx() {
        if (jmx == null) {
            jmx = JmxReporter.forRegistry(registry)
                    .inDomain(DOMAIN)
                    .convertDurationsTo(TimeUnit.MICROSECONDS)
                    .convertRatesTo(TimeUnit.SECONDS)
                    .createsObjectNamesWith(
                            (type, domain, name) -> names.get(name).objectName(domain, store))
                    .build();
            jmx.start();
        }
    }

    /** Takes the MBeans away. */
    @Override
    public synchronized void close() {
        if (jmx != null) {
            jmx.close();
            jmx = null;
        }
    }
}
