package io.anneal.bench.fragment;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.RowHasher;
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
 * Does a row allocate on the whole way of a repair's read: scanned, merged out of four compressed SSTables that overlap,
 * encoded canonically, hashed? And how many rows a second does one thread prepare so?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar fragment.MergeEncodeBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 *
 * {@code gc.alloc.rate.norm} is in bytes a row. Opening four cursors takes some 800 KB and is part of it, hence more rows
 * than elsewhere: spread over them it is less than half a byte, and what is beyond that the rows allocate.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(MergeEncodeBenchmark.ROWS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class MergeEncodeBenchmark {
    static final int ROWS = 2_000_000;

    private static final int SSTABLES = 4;

    @Param
    public TableShape shape;

    private GeneratedTable table;
    private RowHasher hasher;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, ROWS, SSTABLES);
        hasher = new RowHasher(shape.schema());
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long mergeAndEncode(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (FragmentCursor cursor = table.merge()) {
            return hasher.hashAll(cursor, ROWS);
        }
    }
}
