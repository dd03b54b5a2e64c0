package io.anneal.bench.sstable;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.ChunkFloor;
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
 * What is the floor below {@link ScanBenchmark} and the hashing of rows: the same file's chunks read, their checksums
 * verified, decompressed, and, for the second floor, copied and hashed row by row without knowing where a row begins?
 * The ratio of a benchmark to its floor in one run is what this machine's noise touches least.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar sstable.FloorBenchmark -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 *
 * The score is in rows of the table, as everywhere.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class FloorBenchmark {
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
    public long checksumAndDecompress(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (ChunkFloor floor = ChunkFloor.open(table.readers().get(0).descriptor())) {
            return floor.read();
        }
    }

    @Benchmark
    public long checksumDecompressCopyAndHash(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        int rowLengthBytes = (int) (table.dataLengthBytes() / Rows.COUNT);
        try (ChunkFloor floor = ChunkFloor.open(table.readers().get(0).descriptor())) {
            return floor.readAndHash(rowLengthBytes);
        }
    }
}
