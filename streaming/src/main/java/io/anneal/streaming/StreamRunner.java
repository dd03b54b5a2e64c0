package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.io.RateLimiter;
import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.node.ServedRun;
import io.anneal.streaming.message.RunStream;
import io.anneal.streaming.message.StreamVerb;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * The target's side of streaming on a node that is told by another what to fetch: runs a {@link StreamPlan} on request and tells
 * how it is doing. It ends with the stream of whoever asked for it. Safe for any thread.
 */
public final class StreamRunner {
    private final UUID nodeId;
    private final Replicas replicas;
    private final Connector connector;
    private final Executor runs;
    private final HostEnvironment environment;
    private final RateLimiter rate;

    private StreamRunner(
            UUID nodeId,
            Replicas replicas,
            Connector connector,
            Executor runs,
            HostEnvironment environment,
            long bytesPerSecond) {
        this.nodeId = nodeId;
        this.replicas = replicas;
        this.connector = connector;
        this.runs = runs;
        this.environment = environment;
        rate = new RateLimiter(bytesPerSecond, environment.nanoTime(), environment.sleeper());
    }

    /**
     * For the replicas of a node, with its threads and its connections to others.
     *
     * @param bytesPerSecond which it takes at most, of all sources together; 0 for as fast as it goes
     */
    public static StreamRunner of(Node node, HostEnvironment environment, long bytesPerSecond) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(environment, "environment");
        return new StreamRunner(
                node.identity().nodeId(), node.replicas(), node.peers(), node.waiting(), environment, bytesPerSecond);
    }

    /** Registers the verb of a target. */
    public void register(VerbHandlers handlers) {
        Objects.requireNonNull(handlers, "handlers");
        handlers.registerStream(StreamVerb.RUN, this::opened);
    }

    private void opened(PeerStream stream) {
        ServedRun.serve(stream, runs, environment.clock(), this::work);
    }

    private ServedRun.Work work(ByteReader in) throws RequestException {
        StreamService.requireVersion(in.readUnsignedByte());
        RunStream wanted = RunStream.decode(in);
        StreamSource source = StreamSource.at(connector, PeerAddress.parse(wanted.source()), wanted.sourceReplica());
        return new StreamWork(nodeId, wanted, source, replicas, rate, environment);
    }
}
