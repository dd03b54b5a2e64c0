package io.anneal.bench.fragment;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.RowHasher;
import io.anneal.bench.measure.Rows;
import io.anneal.fragment.FragmentCursor;
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
 * How many rows a second does one thread prepare for a comparison of replicas: read from one compressed SSTable, encode
 * canonically, hash with XXH3-128, add up? With {@code merged} as a repair does it, through the merge.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar fragment.EncodeHashBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class EncodeHashBenchmark {
    @Param
    public TableShape shape;

    private GeneratedTable table;
    private RowHasher hasher;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, Rows.COUNT, 1);
        hasher = new RowHasher(shape.schema());
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long scanned(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (FragmentCursor cursor = table.scan()) {
            return hasher.hashAll(cursor, Rows.COUNT);
        }
    }

    @Benchmark
    public long merged(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (FragmentCursor cursor = table.merge()) {
            return hasher.hashAll(cursor, Rows.COUNT);
        }
    }
}
