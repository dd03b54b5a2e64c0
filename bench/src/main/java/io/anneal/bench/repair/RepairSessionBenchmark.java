package io.anneal.bench.repair;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.Rows;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
 * What does a repair of three equal replicas in one process cost a row, and how large should its windows be? What it takes
 * beyond {@link RowBufferBenchmark} is handing on between threads, what opens and ends a session, and memory that is cold.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar repair.RepairSessionBenchmark -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 *
 * Rows are those of one replica; the profiler counts the followers' threads too.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 1, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 4)
@Measurement(iterations = 5, time = 3)
public class RepairSessionBenchmark {
    private static final int REPLICAS = 3;
    private static final long BUDGET_BYTES = 1L << 30;
    /** So named, the threads of followers are counted by {@code CpuProfiler}. */
    private static final String THREAD = "jmh-worker-replica";

    @Param({"KILOBYTE_ROWS", "SMALL_ROWS"})
    public TableShape shape;

    @Param({"1", "4", "32"})
    public int bufferMebibytes;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<RepairMember> members = new ArrayList<>();
    private TemporaryDirectory directory;
    private ExecutorService executor;

    @Setup(Level.Trial)
    public void write() throws IOException {
        directory = TemporaryDirectory.create("anneal-bench-repair");
        executor = Executors.newFixedThreadPool(REPLICAS, task -> {
            Thread thread = new Thread(task, THREAD);
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < REPLICAS; i++) {
            Path replica = directory.path().resolve("replica-" + i);
            writeTable(Files.createDirectories(replica.resolve(shape.schema().keyspace())
                    .resolve(shape.schema().name())));
            StagingArea staging =
                    StagingArea.open(directory.path().resolve("staging-" + i), "r" + i, InstantSource.system());
            stagings.add(staging);
            members.add(
                    RepairMember.here(new CassandraReplicas(List.of(replica), Optional.empty(), Optional.of(staging))));
        }
    }

    private void writeTable(Path target) throws IOException {
        SSTableWriterConfig config = SSTableWriterConfig.defaults(Rows.COUNT / shape.rowsPerPartition());
        try (FragmentCursor rows = GeneratedCursor.of(shape, Rows.COUNT, GeneratedTable.SEED);
                FragmentWriter writer = Formats.write(target, "1", shape.schema(), config)) {
            writer.append(rows);
            writer.finish();
        }
        Files.writeString(target.resolve("schema.cql"), SchemaText.print(shape.schema()));
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        executor.shutdown();
        for (StagingArea staging : stagings) {
            staging.close();
        }
        directory.close();
    }

    @Benchmark
    public long repair() throws IOException {
        RepairReport report = Repair.of(shape.schema().qualifiedName())
                .between(members)
                .range(TokenRange.FULL)
                .bufferBytes(bufferMebibytes << 20)
                .run(new RepairEnvironment(HostEnvironment.system(), executor, ByteBudget.of(BUDGET_BYTES)));
        if (!report.wereEqual()) {
            throw new IllegalStateException("equal replicas were not found equal, report=" + report);
        }
        return report.windows();
    }
}
