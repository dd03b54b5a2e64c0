package io.anneal.migrate.service;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MetricsSink;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * Measurements as Dropwizard's: a timer {@code PREFIX.OPERATION.origin} and {@code .target} for each operation, over a
 * {@link RecorderReservoir}, the same under {@code PREFIX.batch.BATCH} for each kind of batch, and a meter
 * {@code PREFIX.OPERATION.COUNTER} for each counter that ever counted, its name in lower case with hyphens. No key is in a name. Any thread; recording waits for nobody.
 */
public final class DropwizardSink implements MetricsSink {
    private final MetricRegistry registry;
    private final String prefix;
    private final Clock clock;
    private final ConcurrentMap<String, Timer[]> operations = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer[]> batches = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Meter[]> meters = new ConcurrentHashMap<>();

    /**
     * Into a registry.
     *
     * @param prefix of all names, as {@code dual-dao.users}
     */
    public DropwizardSink(MetricRegistry registry, String prefix) {
        this(registry, prefix, Clock.defaultClock());
    }

    DropwizardSink(MetricRegistry registry, String prefix, Clock clock) {
        this.registry = registry;
        this.prefix = prefix;
        this.clock = clock;
    }

    @Override
    public void latency(String operation, Side side, long nanos) {
        update(operations, "", operation, side, nanos);
    }

    @Override
    public void batchLatency(String batch, Side side, long nanos) {
        update(batches, "batch", batch, side, nanos);
    }

    private void update(ConcurrentMap<String, Timer[]> timers, String kind, String name, Side side, long nanos) {
        Timer[] ofName = timers.get(name);
        if (ofName == null) {
            ofName = timers.computeIfAbsent(name, added -> timersOf(MetricRegistry.name(kind, added)));
        }
        ofName[side.ordinal()].update(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer[] timersOf(String name) {
        Timer[] made = new Timer[Side.values().length];
        for (Side side : Side.values()) {
            made[side.ordinal()] = registry.timer(
                    name(name, side.name()), () -> new Timer(new RecorderReservoir(clock::getTick), clock));
        }
        return made;
    }

    @Override
    public void count(String operation, Counter counter, long delta) {
        Meter[] ofOperation = meters.get(operation);
        if (ofOperation == null) {
            ofOperation = meters.computeIfAbsent(operation, added -> new Meter[Counter.values().length]);
        }
        Meter meter = ofOperation[counter.ordinal()];
        if (meter == null) {
            // Two threads find the same meter in the registry.
            meter = registry.meter(name(operation, counter.name()));
            ofOperation[counter.ordinal()] = meter;
        }
        meter.mark(delta);
    }

    private String name(String operation, String last) {
        return MetricRegistry.name(
                prefix, operation, last.toLowerCase(Locale.ROOT).replace('_', '-'));
    }
}
