package io.anneal.bench.merge;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.DataLength;
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
 * How many merged rows a second does one thread get out of several compressed SSTables that overlap: rows of a partition
 * are in all of them, and of every fourth row there are two versions? With one SSTable: what does the merge cost that
 * only normalises?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar merge.MergeBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 *
 * The score is in rows that come out, {@code bytes} in what is read. Opening the cursors is part of it: about half a byte
 * a row for each SSTable's buffers.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class MergeBenchmark {
    @Param({"1", "4"})
    public int sstables;

    @Param
    public TableShape shape;

    private GeneratedTable table;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, Rows.COUNT, sstables);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long merge(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (FragmentCursor cursor = table.merge()) {
            return Rows.read(cursor, Rows.COUNT);
        }
    }
}
