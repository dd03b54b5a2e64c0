package io.anneal.table;

import java.io.Closeable;
import java.util.SortedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What a store does as a whole: its commit log, its memory, and the tables'. Each method is cheap, allocates nothing and may
 * be called by any thread. {@code docs/metrics.md} has the names.
 */
final class StoreMetrics implements Closeable {
    private final MetricsRegistry registry;
    private final ValueRecorder syncNanos;
    private final ValueRecorder mutationsPerSync;
    private final ValueRecorder admissionNanos;
    private final LongAdder commitLogBytes;
    private final LongAdder commitLogMutations;

    /** @param store tells this store's MBeans from another's */
    StoreMetrics(String store, LongSupplier nanoClock) {
        registry = new MetricsRegistry(store, nanoClock);
        syncNanos = registry.addTimer("commit-log-sync-latency");
        mutationsPerSync = registry.addHistogram("commit-log-mutations-per-sync");
        admissionNanos = registry.addTimer("write-admission-wait");
        commitLogBytes = registry.addCounter("commit-log-bytes-written");
        commitLogMutations = registry.addCounter("commit-log-mutations");
    }

    /**
     * What the commit log holds.
     *
     * @param segmentCount of segments that are still needed
     * @param lengthBytes of them
     */
    void commitLog(LongSupplier segmentCount, LongSupplier lengthBytes) {
        registry.addGauge("commit-log-segments", segmentCount);
        registry.addGauge("commit-log-length-bytes", lengthBytes);
    }

    /** What all memtables occupy, and how much that may be. */
    void memtables(LongSupplier usedBytes, LongSupplier budgetBytes) {
        registry.addGauge("memtable-bytes", usedBytes);
        registry.addGauge("memtable-budget-bytes", budgetBytes);
    }

    /** Mutations came to the log, and so many bytes to its file. */
    void commitLogWritten(long mutations, long bytes) {
        commitLogMutations.add(mutations);
        commitLogBytes.add(bytes);
    }

    /** @param mutations that it made durable */
    void commitLogSynced(long mutations, long nanos) {
        syncNanos.record(nanos);
        mutationsPerSync.record(mutations);
    }

    /** A writer had to wait for memory. Those that did not are not counted. */
    void admissionWaited(long nanos) {
        admissionNanos.record(nanos);
    }

    TableMetrics addTable(String qualifiedName, int shardCount) {
        return registry.addTable(qualifiedName, shardCount);
    }

    void removeTable(TableMetrics table) {
        registry.removeTable(table);
    }

    SortedMap<String, Number> values() {
        return registry.values();
    }

    void startJmx() {
        registry.startJmx();
    }

    @Override
    public void close() {
        registry.close();
    }
}
