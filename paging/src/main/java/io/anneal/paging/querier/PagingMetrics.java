package io.anneal.paging.querier;

import io.anneal.metrics.MetricName;
import io.anneal.metrics.MetricsRegistry;
import io.anneal.metrics.OwnedMetrics;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** What the paged reads of a process do, by the names that are known from Scylla. {@code docs/metrics.md} has them. Safe for any thread. */
public final class PagingMetrics extends OwnedMetrics {
    private final LongAdder lookups;
    private final LongAdder misses;
    private final LongAdder drops;
    private final LongAdder timeBasedEvictions;
    private final LongAdder resourceBasedEvictions;
    private final LongAdder unpoppedFragments;
    private final LongAdder unpoppedBytes;
    private final LongAdder failedReaderStops;
    private final LongAdder failedReaderSaves;

    /** @param node tells this node's MBeans from another's of the same process */
    public PagingMetrics(String node, LongSupplier nanoClock) {
        super(new MetricsRegistry("node", node, nanoClock));
        lookups = registry.addCounter(named("querier_cache_lookups"));
        misses = registry.addCounter(named("querier_cache_misses"));
        drops = registry.addCounter(named("querier_cache_drops"));
        timeBasedEvictions = registry.addCounter(named("querier_cache_time_based_evictions"));
        resourceBasedEvictions = registry.addCounter(named("querier_cache_resource_based_evictions"));
        unpoppedFragments = registry.addCounter(named("multishard_query_unpopped_fragments"));
        unpoppedBytes = registry.addCounter(named("multishard_query_unpopped_bytes"));
        failedReaderStops = registry.addCounter(named("multishard_query_failed_reader_stops"));
        failedReaderSaves = registry.addCounter(named("multishard_query_failed_reader_saves"));
    }

    private static MetricName named(String name) {
        return new MetricName("paging", Map.of("type", "Paging"), name);
    }

    // ---- told by queriers

    void population(LongSupplier queriers) {
        registry.addGauge(named("querier_cache_population"), queriers);
    }

    void reads(IntSupplier pages, LongSupplier bytes) {
        registry.addGauge(named("active_reads"), pages::getAsInt);
        registry.addGauge(named("reads_memory_consumption"), bytes);
    }

    void lookedUp(boolean found) {
        lookups.increment();
        misses.add(found ? 0 : 1);
    }

    void dropped() {
        drops.increment();
    }

    void evictedByTime(int queriers) {
        timeBasedEvictions.add(queriers);
    }

    void evictedByNeed(int queriers) {
        resourceBasedEvictions.add(queriers);
    }

    void pushedBack(int rows, int bytes) {
        unpoppedFragments.add(rows);
        unpoppedBytes.add(bytes);
    }

    void failedStop() {
        failedReaderStops.increment();
    }

    void failedSave() {
        failedReaderSaves.increment();
    }
}
