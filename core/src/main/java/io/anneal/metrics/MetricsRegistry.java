package io.anneal.metrics;

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
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All metrics of one store or node, kept in a Dropwizard registry that JMX shows on demand. What feeds it is made here; what reads it
 * may be any thread and slows nobody down.
 */
public final class MetricsRegistry implements Closeable {
    static final String DOMAIN = "io.anneal";

    private final String ownerKey;
    private final String owner;
    private final LongSupplier nanoClock;
    private final MetricRegistry registry = new MetricRegistry();
    private final Map<String, MetricName> names = new ConcurrentHashMap<>();

    private JmxReporter jmx;

    /**
     * @param ownerKey key of the owner in the names of its MBeans, as {@code store}
     * @param owner    tells this one's MBeans from another's, as a store's directory does
     */
    public MetricsRegistry(String ownerKey, String owner, LongSupplier nanoClock) {
        this.ownerKey = ownerKey;
        this.owner = owner;
        this.nanoClock = nanoClock;
    }

    /** Nanoseconds that something takes. */
    public ValueRecorder addTimer(MetricName name) {
        ValueRecorder recorder = new ValueRecorder(nanoClock);
        addTimer(name, List.of(recorder));
        return recorder;
    }

    /** The same, of several together. */
    void addTimer(MetricName name, List<ValueRecorder> recorders) {
        register(name, new RecordedTimer(recorders));
    }

    /** The same, of those that there are when somebody asks. */
    void addTimer(MetricName name, Supplier<RecordedParts> parts) {
        register(name, new RecordedTimer(parts));
    }

    /** Sizes of something. */
    public ValueRecorder addHistogram(MetricName name) {
        ValueRecorder recorder = new ValueRecorder(nanoClock);
        addHistogram(name, List.of(recorder));
        return recorder;
    }

    /** The same, of several together. */
    void addHistogram(MetricName name, List<ValueRecorder> recorders) {
        register(name, new RecordedHistogram(recorders));
    }

    /** The same, of those that there are when somebody asks. */
    void addHistogram(MetricName name, Supplier<RecordedParts> parts) {
        register(name, new RecordedHistogram(parts));
    }

    /** Something that is counted. */
    public LongAdder addCounter(MetricName name) {
        LongAdder counter = new LongAdder();
        addGauge(name, counter::sum);
        return counter;
    }

    /** A number as it stands when somebody asks. */
    public void addGauge(MetricName name, LongSupplier value) {
        register(name, (Gauge<Long>) value::getAsLong);
    }

    private void register(MetricName name, Metric metric) {
        names.put(name.toString(), name);
        registry.register(name.toString(), metric);
    }

    /** Forgets those of something that is there no more. */
    public void removeIf(Predicate<MetricName> gone) {
        registry.removeMatching((name, metric) -> gone.test(names.get(name)));
        names.values().removeIf(gone);
    }

    /** Says which values are recent. */
    public LongSupplier nanoClock() {
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

    /** All numbers as they stand, in Prometheus' text format: names as in {@code docs/metrics.md}, times in nanoseconds. */
    public String text() {
        MetricsText text = new MetricsText(ownerKey, owner);
        registry.getMetrics().forEach((name, metric) -> {
            MetricName known = names.get(name);
            // What was removed meanwhile has none.
            if (known != null) {
                text.add(known, metric);
            }
        });
        return text.toString();
    }

    /** Shows everything as MBeans, in microseconds and values per second, until this is closed. */
    public synchronized void startJmx() {
        if (jmx == null) {
            jmx = JmxReporter.forRegistry(registry)
                    .inDomain(DOMAIN)
                    .convertDurationsTo(TimeUnit.MICROSECONDS)
                    .convertRatesTo(TimeUnit.SECONDS)
                    .createsObjectNamesWith(
                            (type, domain, name) -> names.get(name).objectName(domain, ownerKey, owner))
                    .build();
            jmx.start();
        }
    }

    /** Whether MBeans are shown. */
    synchronized boolean isJmx() {
        return jmx != null;
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
