package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.net.RequestException;
import io.anneal.net.VerbHandlers;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.node.ServedRun;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * The master's side of repair on a server: runs one session on request and tells how it is doing. A repair ends with the
 * stream on which it was asked for. A server runs as many as its memory holds row buffers for. Safe for any thread.
 */
public final class RepairRunner {
    private final UUID nodeId;
    private final Replicas replicas;
    private final Connector connector;
    private final Executor runs;
    private final RepairEnvironment environment;
    private final SessionMemory memory;

    /**
     * @param nodeId the identity of this node, which followers must not have
     * @param connector reaches the followers
     * @param runs has a thread for each repair, which waits on it for the followers: none of those that their answers need
     *     here, and one that it does not have is refused
     */
    public RepairRunner(
            UUID nodeId, Replicas replicas, Connector connector, Executor runs, RepairEnvironment environment) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(replicas, "replicas");
        Objects.requireNonNull(connector, "connector");
        Objects.requireNonNull(runs, "runs");
        Objects.requireNonNull(environment, "environment");
        this.nodeId = nodeId;
        this.replicas = replicas;
        this.connector = connector;
        this.runs = runs;
        this.environment = environment;
        memory = new SessionMemory(environment.budget(), SessionMemory.SESSIONS_OF_NODE);
    }

    /** For the replicas of a node, with its threads, its memory and its connections to others. */
    public static RepairRunner of(Node node, HostEnvironment host) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(host, "host");
        return of(node, host, new RepairMetrics(node.identity().nodeId().toString(), host.nanoTime()));
    }

    /**
     * For the replicas of a node, with its threads, its memory and its connections to others.
     *
     * @param metrics those of the node's {@link RepairService}, too
     */
    public static RepairRunner of(Node node, HostEnvironment host, RepairMetrics metrics) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(metrics, "metrics");
        return of(node, new RepairEnvironment(host, node.executor(), node.budget(), metrics));
    }

    /** For the replicas of a node, with its connections to others. */
    public static RepairRunner of(Node node, RepairEnvironment environment) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(environment, "environment");
        return new RepairRunner(node.identity().nodeId(), node.replicas(), node.peers(), node.waiting(), environment);
    }

    /** Registers the verb of a master. */
    public void register(VerbHandlers handlers) {
        Objects.requireNonNull(handlers, "handlers");
        handlers.registerStream(
                RepairVerb.RUN,
                stream -> ServedRun.serve(stream, runs, environment.host().clock(), this::work));
    }

    private ServedRun.Work work(ByteReader in) throws RequestException {
        ServedSession.requireVersion(in.readUnsignedByte());
        RunRepair wanted = RunRepair.decode(in);
        address(wanted.address());
        wanted.followers().forEach(follower -> address(follower.address()));
        SessionMemory.Place place =
                memory.take(wanted.bufferBytes(), wanted.followers().size() + 1, 1, wanted.sessions());
        return new RepairWork(wanted, place, this::repair, environment.host().nanoTime());
    }

    private RepairReport repair(RunRepair wanted, SessionMemory.Place place, RepairListener listener)
            throws IOException {
        List<RepairMember> members = new ArrayList<>(List.of(RepairMember.here(replicas.get(wanted.replica()))));
        wanted.followers()
                .forEach(follower ->
                        members.add(RepairMember.at(connector, address(follower.address()), follower.replica())));
        SessionRunner.Options options = new SessionRunner.Options(
                wanted.bufferBytes(),
                wanted.dryRun(),
                wanted.allReplicas(),
                wanted.staged(),
                wanted.sessions(),
                wanted.rate(),
                wanted.recent(),
                wanted.readsAll());
        SessionRunner.Part part = new SessionRunner.Part(
                wanted.keyspace(), wanted.table(), wanted.ranges(), wanted.runId(), wanted.waivers(), listener);
        SessionRunner.Asked asked = new SessionRunner.Asked(
                place,
                new DistinctReplicas.Named(nodeId, wanted.replica()),
                new RepairMember.There(connector, address(wanted.address()), wanted.replica()));
        return new SessionRunner(options, Optional.of(asked), environment).run(part, members);
    }

    /** Reads {@code host:port}. */
    public static InetSocketAddress address(String hostAndPort) {
        Objects.requireNonNull(hostAndPort, "hostAndPort");
        return PeerAddress.parse(hostAndPort);
    }
}
