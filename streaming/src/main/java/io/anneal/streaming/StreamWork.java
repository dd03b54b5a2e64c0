package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteWriter;
import io.anneal.io.RateLimiter;
import io.anneal.net.PeerException;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.ReplicaException;
import io.anneal.node.Replicas;
import io.anneal.node.ServedRun;
import io.anneal.node.Waiver;
import io.anneal.streaming.message.RunStream;
import io.anneal.streaming.message.StreamStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** What this node fetches for a peer that asked for it and hears how it goes. One thread. */
final class StreamWork implements ServedRun.Work {
    /** For a node that is started again, and for whoever asks once more. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final UUID nodeId;
    private final RunStream wanted;
    private final StreamSource source;
    private final Replicas replicas;
    private final RateLimiter rate;
    private final HostEnvironment environment;
    private long rows;
    private long bytes;
    private double covered;

    StreamWork(
            UUID nodeId,
            RunStream wanted,
            StreamSource source,
            Replicas replicas,
            RateLimiter rate,
            HostEnvironment environment) {
        this.nodeId = nodeId;
        this.wanted = wanted;
        this.source = source;
        this.replicas = replicas;
        this.rate = rate;
        this.environment = environment;
    }

    @Override
    public String table() {
        return wanted.keyspace() + "." + wanted.table();
    }

    @Override
    public Consumer<ByteWriter> run(ServedRun.Listener listener) throws IOException {
        StreamTarget own = StreamTarget.here(replicas.get(wanted.replica()));
        StreamReport report = StreamPlan.of()
                .add(table(), source, own, wanted.ranges())
                // Whoever asked comes again, and hears of it meanwhile.
                .patience(Duration.ZERO)
                .keptFor(KEPT)
                .ownReplica(new DistinctReplicas.Named(nodeId, wanted.replica()))
                .allow(wanted.waivers())
                .bytesPerSecond(wanted.bytesPerSecond())
                .listener((rowsSoFar, bytesSoFar, share) -> {
                    pace(bytesSoFar - bytes);
                    rows = rowsSoFar;
                    bytes = bytesSoFar;
                    covered = share;
                    listener.progress(running()::encode);
                })
                .leave(wanted.leftAs())
                .run(environment);
        StreamStatus.End end = new StreamStatus.End(
                report.sstables(), report.parts(), report.importDeadlineSeconds(), report.stagedIn());
        return new StreamStatus(report.rows(), report.bytes(), 1, Optional.of(end), Optional.empty())::encode;
    }

    private void pace(long moreBytes) throws IOException {
        try {
            rate.acquire(moreBytes);
        } catch (InterruptedException e) {
            throw UnitWatch.interrupted(e);
        }
    }

    private StreamStatus running() {
        return new StreamStatus(rows, bytes, covered, Optional.empty(), Optional.empty());
    }

    @Override
    public Consumer<ByteWriter> failed(Throwable failure, String reason) {
        String code = failure instanceof PeerException peer ? peer.code() : "";
        Optional<Waiver> waiver = failure instanceof ReplicaException refused ? refused.waiver() : Optional.empty();
        return new StreamStatus(
                        rows,
                        bytes,
                        covered,
                        Optional.empty(),
                        Optional.of(new StreamStatus.Failure(reason, code, waiver)))::encode;
    }

    @Override
    public boolean isBusy(Throwable failure) {
        return failure instanceof Exception busy && StreamPlan.isBusy(busy) && bytes == 0;
    }

    @Override
    public void end() {
        // The plan has closed what it opened.
    }
}
