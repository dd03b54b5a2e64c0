package io.anneal.bench.repair;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.DataLength;
import io.anneal.bench.measure.Rows;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
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
 * How many rows a second does one replica of a repair prepare that finds nothing different: read through the merge,
 * encoded and hashed into the row buffer, summed up and dropped window by window, another one being read ahead? What this
 * costs beyond {@code fragment.EncodeHashBenchmark.merged} is the buffer's.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar repair.RowBufferBenchmark -prof gc -prof io.anneal.bench.measure.CpuProfiler
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(Rows.COUNT)
@Fork(value = 2, jvmArgs = "-Xmx2g")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class RowBufferBenchmark {
    /** What a row has beside its values, at most. */
    private static final int ROW_BYTES = 256;

    private static final long PURGE_TIME_SECONDS = 1_795_000_000L;

    @Param
    public TableShape shape;

    @Param({"4", "32"})
    public int bufferMebibytes;

    private GeneratedTable table;
    private ItemCodec codec;
    private RowBuffer rows;

    @Setup(Level.Trial)
    public void write() throws IOException {
        table = GeneratedTable.write(shape, Rows.COUNT, 1);
        Purger purger = new Purger(
                shape.schema(),
                new SessionPurgeRule(
                        PURGE_TIME_SECONDS, shape.schema().options().gcGraceSeconds()));
        codec = new ItemCodec(shape.schema(), CanonicalEncoder.UNCLAMPED, purger, GeneratedTable.SEED);
        rows = new RowBuffer(shape.schema(), bufferMebibytes << 20);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
        table.close();
    }

    @Benchmark
    public long windows(DataLength length) throws IOException {
        length.bytes += table.dataLengthBytes();
        try (FragmentCursor cursor = table.merge()) {
            long sum = 0;
            long count = 0;
            boolean goesOn = true;
            while (goesOn) {
                goesOn = fill(cursor);
                rows.window(goesOn ? lastPlace() : RingPosition.END);
                if (goesOn) {
                    goesOn = fill(cursor);
                }
                for (int i = 0; i < rows.windowEnd(); i++) {
                    sum += rows.hashLow(i);
                }
                count += rows.windowEnd();
                rows.dropWindow();
            }
            rows.window(RingPosition.END);
            count += rows.windowEnd();
            rows.dropWindow();
            Rows.requireAll(count, Rows.COUNT);
            return sum;
        }
    }

    private RingPosition lastPlace() {
        RingPosition last = rows.position(rows.count() - 1);
        return RingPosition.of(last.key().orElseThrow(), PositionInPartition.END);
    }

    private boolean fill(FragmentCursor cursor) throws IOException {
        while (rows.aheadBytes() < bufferMebibytes << 20) {
            FragmentKind kind = cursor.advance();
            if (kind == null) {
                return false;
            }
            if (kind == FragmentKind.CLUSTERING_ROW) {
                ByteWriter bytes = rows.bytes(ROW_BYTES + cursor.row().contentBytes());
                int offset = bytes.lengthBytes();
                int length = codec.row(cursor.key(), cursor.row(), bytes);
                rows.add(offset, length, codec.isHashed(), codec.high(), codec.low());
            }
        }
        return true;
    }
}
