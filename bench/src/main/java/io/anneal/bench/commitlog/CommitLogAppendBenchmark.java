package io.anneal.bench.commitlog;

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
 * How many mutations of 1 KiB a second does the log's thread copy, sum and write, 64 with a write? An invocation is 16 MiB with
 * one release.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar commitlog.CommitLogAppendBenchmark -prof gc
 * </pre>
 *
 * {@code -jvmArgsAppend -Djava.io.tmpdir=/dev/shm} leaves the disk out. {@code gc.alloc.rate.norm} is in bytes a mutation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(CommitLogAppendBenchmark.MUTATIONS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class CommitLogAppendBenchmark {
    static final int MUTATIONS = 1 << 14;

    private static final int MUTATIONS_A_WRITE = 64;

    @Param({"false", "true"})
    public boolean compression;

    @Param
    public LogTarget target;

    private LoggedWrites writes;

    @Setup(Level.Trial)
    public void open() throws IOException {
        writes = LoggedWrites.open(compression, target);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        writes.close();
    }

    @Benchmark
    public void appendWrite() throws IOException {
        for (int i = 0; i < MUTATIONS; i++) {
            writes.append();
            if (i % MUTATIONS_A_WRITE == 0) {
                writes.log().write();
            }
        }
        writes.release();
        if (target == LogTarget.USED_FILES) {
            writes.log().sync();
        }
    }
}
