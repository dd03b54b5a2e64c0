package io.anneal.bench.memtable;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.Rows;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Mutation;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.memtable.Memtable;
import io.anneal.memtable.MemtablePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long does one thread take to apply a mutation of one row to a memtable that grows to a hundred thousand, to read one row by
 * key, and to scan a row? Mutations come in random order.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar memtable.MemtableBenchmark -prof gc
 * </pre>
 *
 * Memory is the pool's, warm. Making the memtable and giving it back are part of {@code apply}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class MemtableBenchmark {
    private static final int ROW_COUNT = 100_000;
    private static final long SEED = 20_260_101;

    @Param
    public TableShape shape;

    private final MemtablePool pool = new MemtablePool(512L << 20);
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<Mutation> mutations = new ArrayList<>();
    private Memtable memtable;
    private DecoratedKey[] keys;
    private Slices[] slices;

    @Setup(Level.Trial)
    public void fill() throws IOException {
        try (FragmentCursor cursor = GeneratedCursor.of(shape, ROW_COUNT, SEED)) {
            DecoratedKey key = null;
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.PARTITION_START) {
                    key = cursor.key().toDecoratedKey();
                } else if (kind == FragmentKind.CLUSTERING_ROW) {
                    mutations.add(Mutation.builder(shape.schema(), key)
                            .row(cursor.row())
                            .build());
                }
            }
        }
        Collections.shuffle(mutations, new Random(SEED));
        keys = mutations.stream().map(Mutation::key).toArray(DecoratedKey[]::new);
        slices = new Slices[shape.rowsPerPartition()];
        for (int line = 0; line < slices.length; line++) {
            slices[line] = slices.length == 1 ? Slices.ALL : Slices.of(Slice.of(line(line)));
        }
        memtable = new Memtable(shape.schema(), pool);
        applyAll(memtable);
    }

    private static Clustering line(int line) {
        return Clustering.of(ByteBuffer.allocate(Integer.BYTES).putInt(line).array());
    }

    private void applyAll(Memtable to) throws IOException {
        for (Mutation mutation : mutations) {
            to.apply(mutation);
        }
    }

    @Benchmark
    @OperationsPerInvocation(ROW_COUNT)
    public long apply() throws IOException {
        Memtable filled = new Memtable(shape.schema(), pool);
        applyAll(filled);
        long count = filled.mutationCount();
        filled.release();
        return count;
    }

    @Benchmark
    @OperationsPerInvocation(ROW_COUNT)
    public long scan() throws IOException {
        try (FragmentCursor cursor = memtable.scan(TokenRange.Linear.ALL)) {
            return Rows.read(cursor, ROW_COUNT);
        }
    }

    @Benchmark
    public int rowByKey() throws IOException {
        DecoratedKey key = keys[random.nextInt(keys.length)];
        Slices of = slices[random.nextInt(slices.length)];
        try (FragmentCursor cursor = memtable.read(key, of, false).orElseThrow()) {
            int rows = 0;
            while (cursor.advance() != null) {
                rows += cursor.kind() == FragmentKind.CLUSTERING_ROW ? 1 : 0;
            }
            Rows.requireAll(rows, 1);
            return rows;
        }
    }
}
