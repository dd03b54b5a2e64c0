package io.anneal.bench.commitlog;

import io.anneal.commitlog.CommitLogPosition;
import java.io.IOException;
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
 * How long does a group of mutations of 1 KiB wait for the disk, in files that were used before, as they are after the first
 * flush, or in new ones?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar commitlog.CommitLogSyncBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 4, time = 2)
public class CommitLogSyncBenchmark {
    private static final int SEGMENTS_USED_BEFORE = 8;

    @Param({"1", "64"})
    public int mutations;

    @Param({"true", "false"})
    public boolean recycled;

    private LoggedWrites writes;

    @Setup(Level.Trial)
    public void open() throws IOException {
        writes = LoggedWrites.open(false, LogTarget.USED_FILES);
        if (recycled) {
            // Files as long as segments are, and the last of them begun.
            long lastId = writes.log().position().segmentId() + SEGMENTS_USED_BEFORE;
            useUntil(lastId);
            writes.release();
            writes.log().sync();
            useUntil(lastId + 1);
        }
    }

    private void useUntil(long segmentId) throws IOException {
        while (writes.log().position().segmentId() < segmentId) {
            writes.append();
        }
        writes.log().sync();
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        writes.close();
    }

    @Benchmark
    public CommitLogPosition sync() throws IOException {
        for (int i = 0; i < mutations; i++) {
            writes.append();
        }
        writes.log().sync();
        if (recycled) {
            writes.release();
        }
        return writes.log().syncedPosition();
    }
}
