package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.metrics.MetricName;
import io.anneal.metrics.MetricsRegistry;
import io.anneal.metrics.OwnedMetrics;
import io.anneal.repair.message.RepairCount;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What the repairs of a node do, as followers and as masters. Given to {@link RepairService#of}, {@link RepairRunner#of} and
 * {@link RepairEnvironment}. {@code docs/metrics.md} has the names. Safe for any thread.
 */
public final class RepairMetrics extends OwnedMetrics {
    private final LongAdder[] counters = new LongAdder[RepairCount.values().length];
    private final LongAdder open;
    private final LongAdder finished;
    private final LongAdder failed;

    /**
     * @param node tells this node's MBeans from another's of the same process
     * @param nanoClock times the steps of sessions
     */
    public RepairMetrics(String node, LongSupplier nanoClock) {
        super(new MetricsRegistry("node", node, nanoClock));
        for (RepairCount count : RepairCount.values()) {
            counters[count.ordinal()] = registry.addCounter(named(count.text()));
        }
        open = registry.addCounter(named("sessions"));
        finished = registry.addCounter(named("sessions-finished"));
        failed = registry.addCounter(named("sessions-failed"));
    }

    /** For those whose numbers nobody looks at. */
    static RepairMetrics unseen() {
        return new RepairMetrics("", HostEnvironment.system().nanoTime());
    }

    private static MetricName named(String name) {
        return new MetricName("repair", Map.of("type", "Repair"), name);
    }

    // ---- told by sessions

    long nanoTime() {
        return registry.nanoClock().getAsLong();
    }

    void add(RepairCount count, long number) {
        counters[count.ordinal()].add(number);
    }

    /** A replica of this node takes part in one more. */
    void started() {
        open.increment();
    }

    void ended(boolean well) {
        open.decrement();
        (well ? finished : failed).increment();
    }
}
