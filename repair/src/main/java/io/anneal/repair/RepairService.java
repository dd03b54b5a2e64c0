package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.repair.message.RepairVerb;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The follower's side of repair on a server: each session is a stream, and ends with it. A server takes as many as its
 * memory holds row buffers for; one more is answered with {@code busy}. Safe for any thread.
 */
public final class RepairService {
    private final Replicas replicas;
    private final Executor executor;
    private final SessionMemory memory;
    private final RepairMetrics metrics;
    private final Optional<InstantSource> clock;

    /**
     * @param replicas what the node has
     * @param executor runs the sessions' steps, which read and write files; it belongs to the caller
     * @param budget of the node: sessions take half of it at most
     */
    public RepairService(Replicas replicas, Executor executor, ByteBudget budget) {
        this(replicas, executor, budget, RepairMetrics.unseen());
    }

    /**
     * @param replicas what the node has
     * @param executor runs the sessions' steps, which read and write files; it belongs to the caller
     * @param budget of the node: sessions take half of it at most
     * @param metrics counts what the sessions do
     */
    public RepairService(Replicas replicas, Executor executor, ByteBudget budget, RepairMetrics metrics) {
        this(replicas, executor, budget, metrics, Optional.empty());
    }

    /** @param clock that masters compare with theirs */
    RepairService(
            Replicas replicas,
            Executor executor,
            ByteBudget budget,
            RepairMetrics metrics,
            Optional<InstantSource> clock) {
        this.clock = clock;
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        this.replicas = Objects.requireNonNull(replicas, "replicas");
        this.executor = Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(budget, "budget");
        memory = new SessionMemory(budget, SessionMemory.SESSIONS_OF_NODE);
    }

    /**
     * For the replicas of a node, with its threads and its memory.
     *
     * @param host whose clock masters compare with theirs
     */
    public static RepairService of(Node node, HostEnvironment host) {
        return of(node, host, RepairMetrics.unseen());
    }

    /**
     * For the replicas of a node, with its threads and its memory.
     *
     * @param host whose clock masters compare with theirs
     * @param metrics those of the node's {@link RepairRunner}, too
     */
    public static RepairService of(Node node, HostEnvironment host, RepairMetrics metrics) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(metrics, "metrics");
        return new RepairService(node.replicas(), node.executor(), node.budget(), metrics, Optional.of(host.clock()));
    }

    /** Registers the verb of a follower. */
    public void register(VerbHandlers handlers) {
        Objects.requireNonNull(handlers, "handlers");
        handlers.registerStream(
                RepairVerb.SESSION,
                stream -> new ServedSession(stream, replicas, executor, memory, metrics, clock).start());
    }
}
