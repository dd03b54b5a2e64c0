package io.anneal.bench.sstable;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.Rows;
import java.io.IOException;
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
 * How many rows a second does one thread rewrite, from one SSTable into a new one, LZ4, all components, synced to the disk?
 * What reading alone costs says {@link ScanBenchmark}.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar sstable.WriteBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class WriteBenchmark {
    @Param
    public TableShape shape;

    private GeneratedTable table;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, Rows.COUNT, 1);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long write(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        // Removing is part of what is measured, and little of it: without it the disk would fill up.
        try (TemporaryDirectory target = table.directory().createInside("copy")) {
            return table.copyTo(target.path());
        }
    }
}
