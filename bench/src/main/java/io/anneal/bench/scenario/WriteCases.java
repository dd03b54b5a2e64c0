package io.anneal.bench.scenario;

import io.anneal.bench.peer.PeerWrite;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rows written as fast as a store takes them, and then at a fifth of that rate. Both stores run as they are shipped, with
 * compactions beside; each is empty before a run, and what it leaves is removed outside of what is measured.
 */
final class WriteCases {
    /** As many as the machine of the budgets has cores; the store's own threads are more. */
    private static final long COLLECTION_PERIOD_MILLIS = 3_000;

    private static final int THREADS = 2;

    private static final int ROW_BYTES = 1024;
    private static final int WARM_UP_ROWS_MAX = 500_000;
    private static final int STEADY_PART = 5;
    private static final String FLUSHED = "-flushed";

    /** Both ends of a burst, from the same start. */
    private record Burst(Run acknowledged, Run flushed) {}

    /** Writes that many rows into an empty store. */
    private interface Work {
        Burst run(long rows) throws IOException;
    }

    private record Side(BenchSystem system, Work work) {}

    private final BenchConfig config;
    private final StoreConfig storeConfig;
    private final StoreSizes sizes;
    private final Series series;

    WriteCases(BenchConfig config, StoreSizes sizes, Series series) {
        this.config = config;
        this.sizes = sizes;
        this.series = series;
        storeConfig = StoreConfig.defaults()
                .withSyncMode(SyncMode.PERIODIC)
                .withVersion(config.version())
                .withMemtableBudgetBytes(sizes.memtablesBytes());
    }

    /** @return our median rate until the last acknowledgement */
    double burst(String caseName, Optional<StorePeer> peer) throws IOException {
        List<Side> sides = new ArrayList<>();
        sides.add(new Side(BenchSystem.ANNEAL, this::own));
        peer.ifPresent(side -> sides.add(new Side(BenchSystem.CASSANDRA, rows -> cassandra(side, rows))));
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": warming up");
        for (Side side : sides) {
            Warming.warm(
                    config,
                    new Contender(
                            side.system(),
                            () -> side.work()
                                    .run(Math.min(WARM_UP_ROWS_MAX, config.rowCount()))
                                    .flushed()));
        }
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            for (Side side : sides) {
                Burst burst = side.work().run(config.rowCount());
                series.add(caseName, side.system(), burst.acknowledged());
                series.add(caseName + FLUSHED, side.system(), burst.flushed());
            }
        }
        return series.records().stream()
                .filter(entry -> entry.caseName().equals(caseName)
                        && entry.system() == BenchSystem.ANNEAL
                        && entry.metric() == BenchMetric.ROWS_PER_SECOND)
                .findFirst()
                .orElseThrow()
                .median();
    }

    private Burst own(long rows) throws IOException {
        try (OwnStore own = OwnStore.open(storeConfig)) {
            StoreWriters writers = new StoreWriters(own.table(), THREADS, config.nanoTime());
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            writers.burst(rows);
            Run acknowledged = stopwatch.run(rows, rows * ROW_BYTES);
            own.table().flush();
            return new Burst(acknowledged, stopwatch.run(rows, rows * ROW_BYTES));
        }
    }

    private static Burst cassandra(StorePeer peer, long rows) {
        peer.empty();
        PeerWrite write = peer.write(rows, THREADS);
        peer.empty();
        return new Burst(
                new Run(rows, rows * ROW_BYTES, write.acknowledgedWallNanos(), write.acknowledgedCpuNanos(), 0),
                new Run(rows, rows * ROW_BYTES, write.flushedWallNanos(), write.flushedCpuNanos(), 0));
    }

    /** A fifth of a rate for a while: memory beside what there was before the store. */
    void steady(String caseName, double rowsPerSecondOfBurst) throws IOException {
        double rowsPerSecond = Math.max(1, rowsPerSecondOfBurst / STEADY_PART);
        long rows = Math.max(1, (long) (rowsPerSecond * sizes.steadySeconds()));
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": writing " + rows + " rows");
        MemoryWatch watch = MemoryWatch.start();
        try (OwnStore own = OwnStore.open(storeConfig)) {
            watch.sampleMemtables(own::memtableBytes);
            watch.sample(COLLECTION_PERIOD_MILLIS);
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            new StoreWriters(own.table(), THREADS, config.nanoTime()).paced(rows, rowsPerSecond);
            series.add(caseName, BenchSystem.ANNEAL, stopwatch.run(rows, rows * ROW_BYTES));
        } finally {
            watch.close();
        }
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.PEAK_MEMORY, watch.peakBytes());
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.MEMTABLE_PEAK, watch.memtablePeakBytes());
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.MEMORY_BUDGET, sizes.memtablesBytes());
    }
}
