package io.anneal.bench.compaction;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.Rows;
import io.anneal.compaction.Compaction;
import io.anneal.compaction.CompactionCandidate;
import io.anneal.compaction.CompactionContext;
import io.anneal.compaction.CompactionPurge;
import io.anneal.compaction.CompactionTask;
import io.anneal.compaction.Overlaps;
import io.anneal.compaction.RepairTimes;
import io.anneal.io.RateLimiter;
import io.anneal.key.ShardRule;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many rows a second does one thread compact, from four SSTables that overlap to one, LZ4, all components, synced to the
 * disk? A row is in one of the four, of every fourth row there are two versions.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar compaction.CompactionBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 *
 * The score is in rows that come out, {@code bytes} in what is read.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 4)
@Measurement(iterations = 5, time = 4)
public class CompactionBenchmark {
    private static final int SSTABLES = 4;
    private static final long NOW_SECONDS = 1_900_000_000;

    @Param
    public TableShape shape;

    private GeneratedTable table;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, Rows.COUNT, SSTABLES);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long compact(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        List<CompactionCandidate> inputs = new ArrayList<>();
        for (SSTableReader reader : table.readers()) {
            inputs.add(CompactionCandidate.of(reader, 0));
        }
        // Removing is part of what is measured, and little of it: without it the disk would fill up.
        try (TemporaryDirectory target = table.directory().createInside("compacted")) {
            CompactionContext context = new CompactionContext(
                    table.schema(),
                    SSTableWriterConfig.defaults(1),
                    config -> Formats.write(target.path(), "1", table.schema(), config),
                    new ShardRule(1, 0),
                    CompactionPurge.of(
                            table.schema().options(), task(inputs), NOW_SECONDS, RepairTimes.NONE, Overlaps.NONE),
                    new RateLimiter(RateLimiter.UNLIMITED, () -> 0L, TimeUnit.NANOSECONDS::sleep));
            long rows = new Compaction(task(inputs), context).run().rowCount();
            Rows.requireAll(rows, Rows.COUNT);
            return rows;
        }
    }

    private static CompactionTask task(List<CompactionCandidate> inputs) {
        return new CompactionTask(inputs, 0, CompactionTask.UNLIMITED, 1, CompactionTask.Reason.MAJOR);
    }
}
