package io.anneal.bench.sstable;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.Rows;
import io.anneal.fragment.FragmentCursor;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        SSTableWriterConfig config = SSTableWriterConfig.defaults(Rows.COUNT / shape.rowsPerPartition());
        Descriptor written;
        try (FragmentCursor cursor = table.scan();
                FragmentWriter writer = Formats.write(table.directory(), "2", shape.schema(), config)) {
            writer.append(cursor);
            written = writer.finish();
        }
        return remove(written);
    }

    /** Part of what is measured, and little of it: without it the disk would fill up. */
    private static long remove(Descriptor written) throws IOException {
        long lengthBytes = 0;
        for (Component component : Component.values()) {
            Path file = written.file(component);
            if (Files.exists(file)) {
                lengthBytes += Files.size(file);
                Files.delete(file);
            }
        }
        return lengthBytes;
    }
}
