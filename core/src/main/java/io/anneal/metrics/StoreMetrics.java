package io.anneal.metrics;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What a store does as a whole: its commit log, its memory, and the tables'. Each method is cheap, allocates nothing and may
 * be called by any thread. {@code docs/metrics.md} has the names.
 */
public final class StoreMetrics extends OwnedMetrics {
    private final ValueRecorder syncNanos;
    private final ValueRecorder mutationsPerSync;
    private final ValueRecorder admissionNanos;
    private final LongAdder commitLogBytes;
    private final LongAdder commitLogMutations;

    /** @param store tells this store's MBeans from another's */
    public StoreMetrics(String store, LongSupplier nanoClock) {
        super(new MetricsRegistry("store", store, nanoClock));
        syncNanos = registry.addTimer(name("commit-log-sync-latency"));
        mutationsPerSync = registry.addHistogram(name("commit-log-mutations-per-sync"));
        admissionNanos = registry.addTimer(name("write-admission-wait"));
        commitLogBytes = registry.addCounter(name("commit-log-bytes-written"));
        commitLogMutations = registry.addCounter(name("commit-log-mutations"));
    }

    private static MetricName name(String name) {
        return new MetricName("store", Map.of("type", "Store"), name);
    }

    /**
     * What the commit log holds.
     *
     * @param segmentCount of segments that are still needed
     * @param lengthBytes of them
     */
    public void commitLog(LongSupplier segmentCount, LongSupplier lengthBytes) {
        registry.addGauge(name("commit-log-segments"), segmentCount);
        registry.addGauge(name("commit-log-length-bytes"), lengthBytes);
    }

    /** What all memtables occupy, and how much that may be. */
    public void memtables(LongSupplier usedBytes, LongSupplier budgetBytes) {
        registry.addGauge(name("memtable-bytes"), usedBytes);
        registry.addGauge(name("memtable-budget-bytes"), budgetBytes);
    }

    /** By how many seconds the clock is behind the latest timestamp. */
    public void timestampsAhead(LongSupplier seconds) {
        registry.addGauge(name("timestamps-ahead"), seconds);
    }

    /** Mutations came to the log, and so many bytes to its file. */
    public void commitLogWritten(long mutations, long bytes) {
        commitLogMutations.add(mutations);
        commitLogBytes.add(bytes);
    }

    /** @param mutations that it made durable */
    public void commitLogSynced(long mutations, long nanos) {
        syncNanos.record(nanos);
        mutationsPerSync.record(mutations);
    }

    /** A writer had to wait for memory. Those that did not are not counted. */
    public void admissionWaited(long nanos) {
        admissionNanos.record(nanos);
    }

    /** Metrics of a table that begin at nothing. */
    public TableMetrics addTable(String qualifiedName, int shardCount) {
        return new TableMetrics(registry, qualifiedName, shardCount);
    }

    /** Forgets a table that is there no more. */
    public void removeTable(TableMetrics table) {
        registry.removeIf(table::owns);
    }
}
