package io.anneal.bench.sstable;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long does one thread take to read one row, of a million in one partition or by one of a million keys, in a version with an Index and in one
 * with tries?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar sstable.PointReadBenchmark -prof gc
 * </pre>
 *
 * One invocation opens a cursor, reads one small row at random and closes the cursor; files in the page cache.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class PointReadBenchmark {
    private static final int ROW_COUNT = 1_000_000;
    private static final int ROWS_BACKWARDS = 100;
    private static final DecoratedKey WIDE = key(0);

    @Param({"NB", "DA"})
    public SSTableVersion version;

    private final SplittableRandom random = new SplittableRandom(GeneratedTable.SEED);
    private GeneratedTable wide;
    private GeneratedTable narrow;

    @Setup(Level.Trial)
    public void write() throws IOException {
        wide = GeneratedTable.writePartitions(TableShape.SMALL_ROWS, 1, ROW_COUNT, version);
        narrow = GeneratedTable.writePartitions(TableShape.SMALL_ROWS, ROW_COUNT, 1, version);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        wide.close();
        narrow.close();
    }

    private static DecoratedKey key(long id) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
    }

    private static Clustering line(int line) {
        return Clustering.of(ByteBuffer.allocate(Integer.BYTES).putInt(line).array());
    }

    private static int read(GeneratedTable table, DecoratedKey key, Slices slices, boolean reversed, int rowsMax)
            throws IOException {
        SSTableReader reader = table.readers().get(0);
        Optional<SSTableCursor> found = reader.read(table.schema(), key, slices, reversed);
        if (found.isEmpty()) {
            return 0;
        }
        try (FragmentCursor cursor = found.get()) {
            int rows = 0;
            while (rows < rowsMax && cursor.advance() != null) {
                rows += cursor.kind() == FragmentKind.CLUSTERING_ROW ? 1 : 0;
            }
            return rows;
        }
    }

    private static int require(int expected, int rows) {
        if (rows != expected) {
            throw new IllegalStateException("other rows were read, rows=" + rows + ", expected=" + expected);
        }
        return rows;
    }

    @Benchmark
    public int rowOfWidePartition() throws IOException {
        Slices slices = Slices.of(Slice.of(line(random.nextInt(ROW_COUNT))));
        return require(1, read(wide, WIDE, slices, false, Integer.MAX_VALUE));
    }

    @Benchmark
    public int hundredRowsBackwards() throws IOException {
        int line = ROWS_BACKWARDS + random.nextInt(ROW_COUNT - ROWS_BACKWARDS);
        return require(ROWS_BACKWARDS, read(wide, WIDE, Slices.of(Slice.to(line(line), true)), true, ROWS_BACKWARDS));
    }

    @Benchmark
    public int rowByKey() throws IOException {
        return require(1, read(narrow, key(random.nextInt(ROW_COUNT)), Slices.ALL, false, Integer.MAX_VALUE));
    }

    @Benchmark
    public int keyThatIsNotThere() throws IOException {
        return require(0, read(narrow, key(ROW_COUNT + random.nextLong(1L << 40)), Slices.ALL, false, 1));
    }
}
