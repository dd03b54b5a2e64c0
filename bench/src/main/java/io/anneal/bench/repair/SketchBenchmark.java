package io.anneal.bench.repair;

import io.anneal.repair.hashes.HashDifference;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.SketchDecoder;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * What does it cost, by hash of a window, to find in what two replicas differ? {@code sketch}, {@code rangeSums} and {@code
 * list} are a follower's or the master's own part; {@code decode} is what the master does with a follower's symbols, what
 * it finds held against all its own hashes included. A window has as many hashes as 32 MiB have rows of 1 KiB, which take
 * some 17 ms to read, encode and hash.
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar repair.SketchBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(SketchBenchmark.HASHES)
@Fork(value = 2, jvmArgs = "-Xmx1g")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SketchBenchmark {
    static final int HASHES = 23_000;

    @Param({"3", "47", "144", "1000"})
    public int differences;

    private int symbols;
    private long[] own;
    private long[] theirs;
    private long theirSum;
    private Sketch ownSketch;
    private Sketch theirSketch;

    @Setup
    public void draw() {
        Random random = new Random(differences);
        symbols = 3 * differences + 20;
        own = random.longs(HASHES).toArray();
        theirs = own.clone();
        for (int i = 0; i < differences / 2; i++) {
            theirs[i] = random.nextLong();
        }
        if (differences % 2 == 1) {
            theirs = Arrays.copyOf(theirs, HASHES - 1);
        }
        theirSum = Arrays.stream(theirs).sum();
        ownSketch = Sketch.of(own, 0, symbols);
        theirSketch = Sketch.of(theirs, 0, symbols);
    }

    @Benchmark
    public Sketch sketch() {
        return Sketch.of(own, 0, symbols);
    }

    @Benchmark
    public boolean decode() {
        SketchDecoder decoder = new SketchDecoder();
        if (!decoder.add(theirSketch, ownSketch)) {
            throw new IllegalStateException("too few symbols, symbols=" + symbols);
        }
        return new HashDifference(decoder.theirs(), decoder.own()).leadsTo(own, theirs.length, theirSum);
    }

    @Benchmark
    public RangeSums rangeSums() {
        return RangeSums.of(own);
    }

    /** As many ranges as differ. */
    @Benchmark
    public long[] filter() {
        HashRanges ranges = RangeSums.of(Arrays.copyOf(own, differences)).differing(RangeSums.of(new long[0]));
        return ranges.filter(own);
    }

    @Benchmark
    public HashDifference list() {
        return HashDifference.between(HashList.of(own), HashList.of(theirs));
    }
}
