package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Table;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The target, which is this process, its sources, which are others, and the table that goes from them to it. */
final class StreamingSides implements Closeable {
    private static final int NUMBER = 1;
    private static final double SECOND_NANOS = 1e9;

    private final LongSupplier nanoTime;
    private final StreamingSide target;
    private final Table table;
    private final PeerGroup sources;

    private StreamingSides(LongSupplier nanoTime, StreamingSide target, Table table, PeerGroup sources) {
        this.nanoTime = nanoTime;
        this.target = target;
        this.table = table;
        this.sources = sources;
    }

    /** @param directory becomes the target's */
    static StreamingSides start(
            OwnCommand command, LongSupplier nanoTime, Path directory, List<StreamingTables.Drawn> drawn)
            throws IOException {
        StreamingSide target = StreamingSide.open(directory, NUMBER);
        PeerGroup sources = new PeerGroup(target);
        boolean ready = false;
        try {
            Table table = target.storeNode()
                    .store()
                    .createTable(StreamingTables.schema(drawn.get(0).shape()));
            for (StreamingTables.Drawn source : drawn) {
                String number = Integer.toString(NUMBER + 1 + sources.peers().size());
                sources.add(PeerJvm.start(
                        command, StreamingPeer.class, List.of(source.directory().toString(), number)));
            }
            sources.connect(StreamingPeer.NODE, target.storeNode()::connect);
            ready = true;
            return new StreamingSides(nanoTime, target, table, sources);
        } finally {
            if (!ready) {
                sources.close();
            }
        }
    }

    ReplicaSource replicas() {
        return new StoreReplicas(target.storeNode().store());
    }

    /**
     * How streams went.
     *
     * @param sentBytes over the network
     * @param bytesPerSecond of each stream from the beginning of all of them, ascending
     */
    record Streamed(Run run, long sentBytes, double[] bytesPerSecond) {}

    /** Streams ranges at once: the first of the first source, and so on, of the first again behind the last. */
    Streamed stream(ReplicaSource into, long dataBytes, List<TokenRange> ranges) throws IOException {
        StreamPlan plan = StreamPlan.into(into).parallel(ranges.size());
        for (int i = 0; i < ranges.size(); i++) {
            PeerJvm source = sources.peers().get(i % sources.peers().size());
            plan.add(
                    table.schema().qualifiedName(),
                    StreamSource.at(target.storeNode().node().peers(), source.address(StreamingPeer.NODE)),
                    ranges.get(i));
        }
        List<Double> rates = new ArrayList<>();
        long[] sentBytes = new long[1];
        Run run = measure(dataBytes, () -> {
            long startNanos = nanoTime.getAsLong();
            plan.reports(
                    (unit, report) -> rates.add(report.bytes() * SECOND_NANOS / (nanoTime.getAsLong() - startNanos)));
            StreamReport report = plan.run(HostEnvironment.system());
            if (report.bytes() == 0) {
                throw new IllegalStateException("nothing came, report=" + report);
            }
            sentBytes[0] = report.bytes();
        });
        return new Streamed(
                run,
                sentBytes[0],
                rates.stream().mapToDouble(rate -> rate).sorted().toArray());
    }

    Run oldWay(long dataBytes) throws IOException {
        return measure(
                dataBytes, () -> target.oldWay().receive(sources.connections().get(0), table));
    }

    Run bareCopy(StreamingTables.Drawn drawn, Path into) throws IOException {
        return measure(
                drawn.fileBytes(),
                () -> BareFileCopy.receive(sources.peers().get(0).address(StreamingPeer.BARE), drawn.files(), into));
    }

    /** Something that brings a table here. */
    interface Transfer {
        void run() throws IOException;
    }

    /** Does it, says what it took of all processes, and empties the table. */
    Run measure(long dataBytes, Transfer transfer) throws IOException {
        long sourcesBefore = sourcesCpuNanos();
        ProcessStopwatch stopwatch = new ProcessStopwatch(nanoTime);
        transfer.run();
        long wallNanos = stopwatch.wallNanos();
        long cpuNanos = stopwatch.cpuNanos() + sourcesCpuNanos() - sourcesBefore;
        table.truncate();
        return new Run(0, dataBytes, wallNanos, cpuNanos, 0);
    }

    private long sourcesCpuNanos() throws IOException {
        long nanos = 0;
        for (Connection connection : sources.connections()) {
            nanos += StoreNode.usage(connection).cpuNanos();
        }
        return nanos;
    }

    /** The most memory that one of the processes takes while something runs. */
    long peakBytes(Contender contender) throws IOException {
        target.storeNode().watch();
        long peakBytes = sources.peakBytes(contender.work());
        return Math.max(peakBytes, target.storeNode().watched());
    }

    @Override
    public void close() throws IOException {
        sources.close();
    }
}
