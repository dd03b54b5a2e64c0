package io.anneal.bench.store;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Slices;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
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
 * How long does one thread take to read one row of a store by its key, and what does it allocate: from a memtable, from an SSTable in the page
 * cache, and when there is none?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar store.StoreReadBenchmark -prof gc
 * </pre>
 *
 * One invocation opens a cursor, reads one row of 1 KiB of 50,000 at random and closes the cursor.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class StoreReadBenchmark {
    /** Where the rows are. */
    public enum Place {
        MEMTABLE,
        SSTABLE
    }

    private static final int ROW_COUNT = 50_000;

    @Param
    public Place place;

    private final SplittableRandom random = new SplittableRandom(GeneratedTable.SEED);
    private TemporaryDirectory directory;
    private Store store;
    private Table table;

    @Setup(Level.Trial)
    public void write() throws IOException {
        directory = TemporaryDirectory.create("anneal-bench-store");
        store = Store.open(directory.path(), StoreConfig.defaults().withSyncMode(SyncMode.PERIODIC));
        table = store.createTable(TableShape.KILOBYTE_ROWS.schema());
        GeneratedMutations drawn = new GeneratedMutations(TableShape.KILOBYTE_ROWS, GeneratedTable.SEED);
        CompletableFuture<?>[] writes = new CompletableFuture<?>[ROW_COUNT];
        for (int i = 0; i < ROW_COUNT; i++) {
            writes[i] = table.applyAsync(drawn.mutation(i));
        }
        CompletableFuture.allOf(writes).join();
        if (place == Place.SSTABLE) {
            table.flush();
        }
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        store.close();
        directory.close();
    }

    private int read(long id) throws IOException {
        int valueBytes = 0;
        try (FragmentCursor cursor = table.read(GeneratedMutations.key(id), Slices.ALL, false)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    valueBytes += cursor.row().valueLengthBytes(0);
                }
            }
        }
        return valueBytes;
    }

    @Benchmark
    public int rowByKey() throws IOException {
        int valueBytes = read(random.nextInt(ROW_COUNT));
        if (valueBytes == 0) {
            throw new IllegalStateException("row is not there");
        }
        return valueBytes;
    }

    @Benchmark
    public int keyThatIsNotThere() throws IOException {
        return read(ROW_COUNT + random.nextLong(1L << 40));
    }
}
