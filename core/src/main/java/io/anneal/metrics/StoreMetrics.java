package io.anneal.metrics;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
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
    private final TableSelection selection;
    private final TableTotals totals = new TableTotals();
    /** Those that the registry has; guarded by this. */
    private final Set<TableMetrics> shown = new HashSet<>();

    /**
     * @param store tells this store's MBeans from another's
     * @param selection which tables are shown by themselves
     */
    public StoreMetrics(String store, TableSelection selection, LongSupplier nanoClock) {
        super(new MetricsRegistry("store", store, nanoClock));
        this.selection = selection;
        totals.show(registry);
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

    /** Whether a sync has failed since somebody acknowledged one. */
    public void failedSync(BooleanSupplier isPresent) {
        registry.addGauge(name("failed-sync"), () -> isPresent.getAsBoolean() ? 1 : 0);
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
        TableMetrics table = new TableMetrics(registry.nanoClock(), qualifiedName, shardCount, this::selectForJmx);
        totals.add(table);
        selectForJmx();
        return table;
    }

    /** Forgets a table that is there no more, but what totals have counted of it. */
    public void removeTable(TableMetrics table) {
        totals.remove(table);
        show(Set.of(), Set.of(table));
        selectForJmx();
    }

    @Override
    public SortedMap<String, Number> values() {
        select();
        return super.values();
    }

    @Override
    public String text() {
        select();
        return super.text();
    }

    @Override
    public void startJmx() {
        select();
        super.startJmx();
    }

    /** Nobody asks there before it is shown. */
    private void selectForJmx() {
        if (registry.isJmx()) {
            select();
        }
    }

    private void select() {
        // Without a lock: sizes are asked of tables, which may hold their own where they tell theirs.
        Set<TableMetrics> wanted = selection.of(totals.tables());
        Set<TableMetrics> others = new HashSet<>(totals.tables());
        others.removeAll(wanted);
        show(wanted, others);
    }

    private synchronized void show(Set<TableMetrics> wanted, Set<TableMetrics> unwanted) {
        for (TableMetrics table : unwanted) {
            if (shown.remove(table)) {
                registry.removeIf(table::owns);
            }
        }
        for (TableMetrics table : wanted) {
            // It may have been removed since it was selected.
            if (totals.tables().contains(table) && shown.add(table)) {
                table.show(registry);
            }
        }
    }
}
