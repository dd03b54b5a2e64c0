package io.anneal.bench.store;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
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
 * How many rows of 1 KiB a second does a store take from one thread that keeps many writes under way, and from one that
 * waits for each? Flushes and compactions go on beside.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar store.StoreWriteBenchmark
 * </pre>
 *
 * Keys come again after a million rows.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class StoreWriteBenchmark {
    private static final int UNDER_WAY = 4096;
    private static final int ROW_COUNT = 1_000_000;

    @Param({"PERIODIC", "BATCH"})
    public SyncMode mode;

    private final GeneratedMutations drawn = new GeneratedMutations(TableShape.KILOBYTE_ROWS, GeneratedTable.SEED);
    private final CompletableFuture<?>[] underWay = new CompletableFuture<?>[UNDER_WAY];
    private long written;
    private TemporaryDirectory directory;
    private Store store;
    private Table table;

    @Setup(Level.Trial)
    public void open() throws IOException {
        directory = TemporaryDirectory.create("anneal-bench-store");
        store = Store.open(directory.path(), StoreConfig.defaults().withSyncMode(mode));
        table = store.createTable(TableShape.KILOBYTE_ROWS.schema());
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        store.close();
        directory.close();
    }

    /** One write, when the one that many before is done. */
    @Benchmark
    public Object applyAsync() {
        int slot = (int) (written % UNDER_WAY);
        CompletableFuture<?> earlier = underWay[slot];
        if (earlier != null) {
            earlier.join();
        }
        underWay[slot] = table.applyAsync(drawn.mutation(written++ % ROW_COUNT));
        return earlier;
    }

    @Benchmark
    public void apply() throws IOException {
        table.apply(drawn.mutation(written++ % ROW_COUNT));
    }
}
