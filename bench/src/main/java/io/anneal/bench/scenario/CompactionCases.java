package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.ChunkFloor;
import io.anneal.compaction.Compaction;
import io.anneal.compaction.CompactionCandidate;
import io.anneal.compaction.CompactionContext;
import io.anneal.compaction.CompactionPurge;
import io.anneal.compaction.CompactionResult;
import io.anneal.compaction.CompactionTask;
import io.anneal.compaction.Overlaps;
import io.anneal.compaction.PurgeMode;
import io.anneal.compaction.RepairTimes;
import io.anneal.io.RateLimiter;
import io.anneal.key.ShardRule;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Four SSTables that overlap, a quarter of their rows twice, compacted to one: by our compaction in this process and by
 * Cassandra's in its own, unthrottled, of the same files. Rates are of what is read, uncompressed; processor time is that of
 * all threads of the process, so that a rate by processor time is what one core does.
 */
final class CompactionCases {
    private static final int PARTS = 4;
    private static final int ROW_BYTES = 1037;
    /** Of rows in all parts to rows of their merge. */
    private static final double VERSIONS_OF_ROWS = 1.25;

    private static final long NOW_SECONDS = TimeUnit.DAYS.toSeconds(365 * 60);

    private final BenchConfig config;
    private final StoreSizes sizes;
    private final Series series;

    CompactionCases(BenchConfig config, StoreSizes sizes, Series series) {
        this.config = config;
        this.sizes = sizes;
        this.series = series;
    }

    void measure(String caseName, TableShape shape, Optional<StorePeer> peer) throws IOException {
        long rows = (long) (PARTS * sizes.compactedBytes() / VERSIONS_OF_ROWS / ROW_BYTES);
        config.progress().accept(StoreScenario.NAME + " " + caseName + ": writing " + PARTS + " SSTables");
        try (GeneratedTable table = GeneratedTable.write(shape, rows, PARTS, config.version())) {
            List<Contender> contenders = new ArrayList<>();
            contenders.add(new Contender(BenchSystem.ANNEAL, () -> compact(table)));
            peer.ifPresent(side -> contenders.add(new Contender(BenchSystem.CASSANDRA, () -> side.compact(table))));
            contenders.add(new Contender(BenchSystem.LIMIT, () -> copyChunks(table)));
            config.progress().accept(StoreScenario.NAME + " " + caseName + ": warming up");
            for (Contender contender : contenders) {
                Warming.warm(config, contender);
            }
            config.progress().accept(StoreScenario.NAME + " " + caseName + ": measuring");
            for (int round = 0; round < config.runs(); round++) {
                for (Contender contender : contenders) {
                    series.add(caseName, contender.system(), contender.work().run());
                }
            }
        }
    }

    private Run compact(GeneratedTable table) throws IOException {
        try (TemporaryDirectory target = table.directory().createInside("anneal")) {
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            List<CompactionCandidate> inputs = new ArrayList<>();
            for (SSTableReader reader : table.readers()) {
                inputs.add(CompactionCandidate.of(reader, 0));
            }
            CompactionTask task =
                    new CompactionTask(inputs, 0, CompactionTask.UNLIMITED, 1, CompactionTask.Reason.MAJOR);
            CompactionResult result = new Compaction(task, context(table, target.path())).run();
            Run run = stopwatch.run(result.rowCount(), table.dataLengthBytes());
            if (result.rowCount() != table.rowCount()) {
                throw new IllegalStateException(
                        "rows are not what was written, rows=" + result.rowCount() + ", expected=" + table.rowCount());
            }
            return run;
        }
    }

    /** Reads and decompresses all chunks, compresses and writes those of all SSTables but one: a little less than the merge is. */
    private Run copyChunks(GeneratedTable table) throws IOException {
        try (TemporaryDirectory target = table.directory().createInside("limit")) {
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            for (int i = 0; i < PARTS; i++) {
                try (ChunkFloor floor = ChunkFloor.open(table.readers().get(i).descriptor())) {
                    if (i == 0) {
                        floor.read();
                    } else {
                        floor.rewrite(target.path().resolve("chunks-" + i));
                    }
                }
            }
            return stopwatch.run(table.rowCount(), table.dataLengthBytes());
        }
    }

    private CompactionContext context(GeneratedTable table, Path directory) {
        AtomicInteger generations = new AtomicInteger();
        SSTableTarget target = writerConfig ->
                Formats.write(directory, Integer.toString(generations.incrementAndGet()), table.schema(), writerConfig);
        return new CompactionContext(
                table.schema(),
                SSTableWriterConfig.defaults(table.rowCount()).withVersion(config.version()),
                target,
                new ShardRule(1, ShardRule.IGNORED_BITS_DEFAULT),
                new CompactionPurge(
                        PurgeMode.GC_GRACE,
                        table.schema().options().gcGraceSeconds(),
                        NOW_SECONDS,
                        RepairTimes.NONE,
                        Overlaps.NONE),
                new RateLimiter(0, config.nanoTime(), TimeUnit.NANOSECONDS::sleep));
    }
}
