package io.anneal.bench.scenario;

import io.anneal.net.Connection;
import io.anneal.net.PeerStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** The cases of {@link NetScenario} in which the peer sends on many streams of one connection, as fast as it can. */
final class NetFlood {
    private static final int REQUEST_BYTES = 128;
    private static final int LATENCIES_MAX = 1 << 20;
    /** Of the time that is counted: what streams take to be in full swing. */
    private static final int START_PART = 4;

    private final BenchConfig config;
    private final NetSizes sizes;
    private final Series series;

    NetFlood(BenchConfig config, NetSizes sizes, Series series) {
        this.config = config;
        this.sizes = sizes;
        this.series = series;
    }

    /** Streams that are read, and counted. */
    private static final class Streams implements Closeable {
        private final List<PeerStream> streams = new ArrayList<>();
        private final AtomicLongArray readBytes;

        Streams(Connection connection, int readCount, int stuckCount) {
            readBytes = new AtomicLongArray(readCount);
            for (int i = 0; i < readCount + stuckCount; i++) {
                PeerStream stream = connection.open(NetSide.FLOOD);
                streams.add(stream);
                if (i < readCount) {
                    int index = i;
                    stream.readAll(piece -> {
                        readBytes.addAndGet(index, piece.remaining());
                        NetSide.drop(piece);
                    });
                }
            }
        }

        long[] readBytes() {
            long[] bytes = new long[readBytes.length()];
            Arrays.setAll(bytes, readBytes::get);
            return bytes;
        }

        @Override
        public void close() throws IOException {
            for (PeerStream stream : streams) {
                stream.reset("enough", "the benchmark has counted");
            }
            for (PeerStream stream : streams) {
                // It fails with the reset of above: only that it is over matters.
                NetSide.await(stream.closed().handle((end, reset) -> null));
            }
        }
    }

    private record Flood(Run run, long slowestBytes, long medianBytes) {}

    void fair(String caseName, NetSide side, Connection connection) throws IOException {
        config.progress().accept(NetScenario.NAME + " " + caseName + ": warming up");
        Warming.warm(
                config,
                new Contender(BenchSystem.ANNEAL, () -> flood(connection, 0).run()));
        config.progress().accept(NetScenario.NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            add(caseName, BenchSystem.ANNEAL, flood(connection, 0));
        }
        end(caseName, side, connection);
    }

    void stuck(String caseName, NetSide side, Connection connection) throws IOException {
        config.progress().accept(NetScenario.NAME + " " + caseName + ": warming up");
        Warming.warm(
                config,
                new Contender(BenchSystem.BASELINE, () -> flood(connection, 0).run()));
        Warming.warm(
                config,
                new Contender(BenchSystem.ANNEAL, () -> flood(connection, 1).run()));
        config.progress().accept(NetScenario.NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            add(caseName, BenchSystem.ANNEAL, flood(connection, 1));
            add(caseName, BenchSystem.BASELINE, flood(connection, 0));
        }
        end(caseName, side, connection);
    }

    private void end(String caseName, NetSide side, Connection connection) throws IOException {
        memory(series, caseName, List.of(side.usage(), NetScenario.usage(connection)));
        connection.close();
    }

    /** The larger of both ends. */
    static void memory(Series series, String caseName, List<NetSide.Usage> ends) {
        series.add(
                caseName,
                BenchSystem.ANNEAL,
                BenchMetric.BUDGET_PEAK,
                ends.stream().mapToLong(NetSide.Usage::budgetPeakBytes).max().orElseThrow());
        series.add(
                caseName,
                BenchSystem.ANNEAL,
                BenchMetric.PEAK_MEMORY,
                ends.stream().mapToLong(NetSide.Usage::directBytes).max().orElseThrow());
    }

    private void add(String caseName, BenchSystem system, Flood flood) {
        series.add(caseName, system, flood.run());
        series.add(caseName, system, BenchMetric.SLOWEST_STREAM, flood.slowestBytes());
        series.add(caseName, system, BenchMetric.MEDIAN_STREAM, flood.medianBytes());
    }

    private Flood flood(Connection connection, int stuckCount) throws IOException {
        try (Streams streams = new Streams(connection, sizes.streams() - stuckCount, stuckCount)) {
            sleep(sizes.windowNanos() / START_PART);
            long peerBefore = NetScenario.usage(connection).cpuNanos();
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            long[] before = streams.readBytes();
            sleep(sizes.windowNanos());
            long[] bytes = streams.readBytes();
            long wallNanos = stopwatch.wallNanos();
            long cpuNanos = stopwatch.cpuNanos() + NetScenario.usage(connection).cpuNanos() - peerBefore;
            Arrays.setAll(bytes, i -> bytes[i] - before[i]);
            Arrays.sort(bytes);
            Run run = new Run(0, Arrays.stream(bytes).sum(), wallNanos, cpuNanos, 0);
            return new Flood(run, bytes[0], bytes[bytes.length / 2]);
        }
    }

    private static void sleep(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while streams are counted");
        }
    }

    void roundTrip(String caseName, Connection connection) throws IOException {
        config.progress().accept(NetScenario.NAME + " " + caseName + ": warming up");
        Warming.warm(
                config,
                new Contender(BenchSystem.BASELINE, () -> timed(connection).run()));
        Warming.warm(
                config,
                new Contender(BenchSystem.ANNEAL, () -> beside(connection).run()));
        config.progress().accept(NetScenario.NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            beside(connection).latencies().addTo(series, caseName, BenchSystem.ANNEAL);
            timed(connection).latencies().addTo(series, caseName, BenchSystem.BASELINE);
        }
        connection.close();
    }

    private record Timed(Run run, Latencies latencies) {}

    private Timed beside(Connection connection) throws IOException {
        Streams streams = new Streams(connection, sizes.busyStreams(), 0);
        try {
            sleep(sizes.windowNanos() / START_PART);
            return timed(connection);
        } finally {
            streams.close();
        }
    }

    /** One request after the other. */
    private Timed timed(Connection connection) throws IOException {
        ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
        long[] nanos = new long[LATENCIES_MAX];
        int count = 0;
        ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
        long end = config.nanoTime().getAsLong() + sizes.windowNanos();
        long now = config.nanoTime().getAsLong();
        do {
            connection.call(NetSide.ECHO, request.duplicate());
            long after = config.nanoTime().getAsLong();
            nanos[count++] = after - now;
            now = after;
        } while (now < end && count < LATENCIES_MAX);
        return new Timed(stopwatch.run(count, 0), new Latencies(Arrays.copyOf(nanos, count)));
    }
}
