package io.anneal.bench.sstable;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.sstable.SSTableCursor;
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
 * How long does one thread need for a partition of ten rows that is there, for one that is not, and for one row of a
 * partition of a million, in a version with an Index and in one with tries?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar sstable.LookupBenchmark -prof gc
 * </pre>
 *
 * Keys and rows are drawn evenly, files are in the page cache, and nothing of ours caches anything between two reads.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class LookupBenchmark {
    private static final int ROWS = 1_000_000;
    private static final int PARTITIONS = ROWS / TableShape.SMALL_ROWS.rowsPerPartition();

    @Param({"NB", "DA"})
    public SSTableVersion version;

    private GeneratedTable table;
    private GeneratedTable wide;
    private DecoratedKey wideKey;
    private SplittableRandom random;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(TableShape.SMALL_ROWS, ROWS, 1, version);
        wide = GeneratedTable.writeWide(ROWS, version);
        wideKey = key(0);
        random = new SplittableRandom(GeneratedTable.SEED);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
        wide.close();
    }

    @Benchmark
    public int partitionThatIsThere() throws IOException {
        return rows(table, key(random.nextInt(PARTITIONS)), Slices.ALL, TableShape.SMALL_ROWS.rowsPerPartition());
    }

    @Benchmark
    public int partitionThatIsNotThere() throws IOException {
        return rows(table, key(PARTITIONS + random.nextInt(PARTITIONS)), Slices.ALL, 0);
    }

    @Benchmark
    public int rowOfAMillion() throws IOException {
        byte[] line =
                ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(ROWS)).array();
        return rows(wide, wideKey, Slices.of(Slice.of(Clustering.of(line))), 1);
    }

    private static DecoratedKey key(long id) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
    }

    private static int rows(GeneratedTable from, DecoratedKey key, Slices slices, int expectedRows) throws IOException {
        Optional<SSTableCursor> found = from.readers().get(0).read(from.schema(), key, slices, false);
        int rows = 0;
        if (found.isPresent()) {
            try (SSTableCursor cursor = found.get()) {
                FragmentKind kind;
                while ((kind = cursor.advance()) != null) {
                    rows += kind == FragmentKind.CLUSTERING_ROW ? 1 : 0;
                }
            }
        }
        if (rows != expectedRows) {
            throw new IllegalStateException(
                    "rows are not what was written, rows=" + rows + ", expected=" + expectedRows);
        }
        return rows;
    }
}
