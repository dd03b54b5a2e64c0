package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;

/**
 * Writes that are on disk when they are acknowledged, the next one of a writer right behind: how many share a sync of the
 * commit log, and how long each takes, in the time of bare syncs of as many bytes on the same disk just before and after.
 */
final class BatchCases {
    static final int WRITERS = 64;

    private static final int WRITES_EACH_MAX = 1000;
    private static final int ROWS_OF_A_WRITE = 1000;
    private static final int WRITE_BYTES = 1100;
    private static final int SYNCS = 200;

    private final BenchConfig config;
    private final StoreConfig storeConfig;
    private final Series series;
    private final int writesEach;

    BatchCases(BenchConfig config, StoreSizes sizes, Series series) {
        this.config = config;
        this.series = series;
        storeConfig = StoreConfig.defaults()
                .withSyncMode(SyncMode.BATCH)
                .withVersion(config.version())
                .withMemtableBudgetBytes(sizes.memtablesBytes());
        writesEach = Math.max(10, Math.min(WRITES_EACH_MAX, config.rowCount() * 2 / ROWS_OF_A_WRITE));
    }

    /** Fills in how long each write took. */
    private interface Work {
        void run(Table table, long[] nanos) throws IOException;
    }

    void threads(String caseName, int writers) throws IOException {
        measure(
                caseName,
                writers,
                (table, nanos) -> StoreWriters.inThreads(writers, thread -> {
                    GeneratedMutations drawn = new GeneratedMutations(TableShape.KILOBYTE_ROWS, GeneratedTable.SEED);
                    for (int i = thread; i < nanos.length; i += writers) {
                        long start = config.nanoTime().getAsLong();
                        table.apply(drawn.mutation(i));
                        nanos[i] = config.nanoTime().getAsLong() - start;
                    }
                }));
    }

    /** One thread that keeps so many under way: the next when the oldest is done. */
    void async(String caseName, int outstanding) throws IOException {
        measure(caseName, outstanding, (table, nanos) -> {
            GeneratedMutations drawn = new GeneratedMutations(TableShape.KILOBYTE_ROWS, GeneratedTable.SEED);
            CompletableFuture<?>[] underWay = new CompletableFuture<?>[outstanding];
            for (int i = 0; i < nanos.length + outstanding; i++) {
                int slot = i % outstanding;
                if (underWay[slot] != null) {
                    await(underWay[slot]);
                    underWay[slot] = null;
                }
                if (i < nanos.length) {
                    int write = i;
                    long start = config.nanoTime().getAsLong();
                    underWay[slot] = table.applyAsync(drawn.mutation(i))
                            .thenRun(() -> nanos[write] = config.nanoTime().getAsLong() - start);
                }
            }
        });
    }

    private static void await(CompletableFuture<?> write) throws IOException {
        try {
            write.join();
        } catch (CompletionException e) {
            throw new IOException("write failed, reason=" + e.getCause().getMessage(), e.getCause());
        }
    }

    private void measure(String caseName, int writers, Work work) throws IOException {
        try (OwnStore own = OwnStore.open(storeConfig);
                TemporaryDirectory beside = TemporaryDirectory.create("anneal-bench-sync");
                SyncLimit limit = SyncLimit.open(beside.path(), config.nanoTime())) {
            config.progress().accept(StoreScenario.NAME + " " + caseName + ": warming up");
            int writes = writers * writesEach;
            work.run(own.table(), new long[writes]);
            config.progress().accept(StoreScenario.NAME + " " + caseName + ": measuring");
            for (int round = 0; round < config.runs(); round++) {
                long[] before = limit.nanos(writers * WRITE_BYTES, SYNCS / 2);
                long[] nanos = new long[writes];
                try (SyncEvents syncs = SyncEvents.start(own.commitLog())) {
                    ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                    work.run(own.table(), nanos);
                    series.add(caseName, BenchSystem.ANNEAL, stopwatch.run(writes, 0));
                    series.add(
                            caseName, BenchSystem.ANNEAL, BenchMetric.WRITES_PER_SYNC, (double) writes / syncs.count());
                }
                new Latencies(nanos).addTo(series, caseName, BenchSystem.ANNEAL);
                long[] after = limit.nanos(writers * WRITE_BYTES, SYNCS / 2);
                new Latencies(LongStream.concat(LongStream.of(before), LongStream.of(after))
                                .toArray())
                        .addTo(series, caseName, BenchSystem.LIMIT);
            }
        }
    }
}
