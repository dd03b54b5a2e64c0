package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.util.Optional;
import java.util.SplittableRandom;

/** Single rows read by keys chosen at random, one thread, cursor opened and closed each time, every value looked at. */
final class ReadCases {
    private static final int READS = 20_000;
    /** So many that a memtable holds them. */
    private static final int ROWS_MAX = 50_000;

    private final BenchConfig config;
    private final StoreConfig storeConfig;
    private final Series series;
    private final int rows;

    ReadCases(BenchConfig config, StoreSizes sizes, Series series) {
        this.config = config;
        this.series = series;
        rows = Math.min(ROWS_MAX, config.rowCount());
        storeConfig = StoreConfig.defaults()
                .withSyncMode(SyncMode.PERIODIC)
                .withVersion(config.version())
                .withMemtableBudgetBytes(sizes.memtablesBytes());
    }

    /** Both cases: the same rows before and after they are flushed. */
    void measure(String memtableCase, String cachedCase, Optional<StorePeer> peer) throws IOException {
        try (OwnStore own = OwnStore.open(storeConfig)) {
            new StoreWriters(own.table(), 1, config.nanoTime()).burst(rows);
            peer.ifPresent(StorePeer::empty);
            peer.ifPresent(side -> side.writeUnflushed(rows));
            if (config.wants(memtableCase)) {
                measure(memtableCase, own.table(), peer);
            }
            own.table().flush();
            peer.ifPresent(StorePeer::flush);
            if (config.wants(cachedCase)) {
                measure(cachedCase, own.table(), peer);
            }
            peer.ifPresent(StorePeer::empty);
        }
    }

    private void measure(String caseName, Table table, Optional<StorePeer> peer) throws IOException {
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": warming up");
        Warming.warm(config, new Contender(BenchSystem.ANNEAL, () -> {
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            read(table);
            return stopwatch.run(READS, 0);
        }));
        if (peer.isPresent()) {
            Warming.warm(config, new Contender(BenchSystem.CASSANDRA, () -> {
                ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                peer.get().readMedianNanos(rows, READS);
                long wallNanos = stopwatch.wallNanos();
                // It is its one thread that works.
                return new Run(READS, 0, wallNanos, wallNanos, 0);
            }));
        }
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            read(table).addTo(series, caseName, BenchSystem.ANNEAL);
            if (peer.isPresent()) {
                series.addNanos(
                        caseName,
                        BenchSystem.CASSANDRA,
                        BenchMetric.LATENCY_MEDIAN,
                        peer.get().readMedianNanos(rows, READS));
            }
        }
    }

    private Latencies read(Table table) throws IOException {
        SplittableRandom random = new SplittableRandom(GeneratedTable.SEED);
        long[] nanos = new long[READS];
        long valueBytes = 0;
        for (int i = 0; i < READS; i++) {
            DecoratedKey key = GeneratedMutations.key(random.nextLong(rows));
            long start = config.nanoTime().getAsLong();
            long read = read(table, key);
            nanos[i] = config.nanoTime().getAsLong() - start;
            if (read == 0) {
                throw new IllegalStateException("row is not there, key=" + key);
            }
            valueBytes += read;
        }
        assert valueBytes > 0;
        return new Latencies(nanos);
    }

    private static long read(Table table, DecoratedKey key) throws IOException {
        long valueBytes = 0;
        try (FragmentCursor cursor = table.read(key, Slices.ALL, false)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    for (int i = 0; i < cursor.row().entryCount(); i++) {
                        valueBytes += cursor.row().valueLengthBytes(i);
                    }
                }
            }
        }
        return valueBytes;
    }
}
