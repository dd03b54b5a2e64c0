package io.anneal.repair;

import io.anneal.io.ByteBudget;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.repair.message.RepairVerb;
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
        this.metrics = metrics;
        this.replicas = replicas;
        this.executor = executor;
        memory = new SessionMemory(budget, SessionMemory.SESSIONS_OF_NODE);
    }

    /** For the replicas of a node, with its threads and its memory. */
    public static RepairService of(Node node) {
        return of(node, RepairMetrics.unseen());
    }

    /**
     * For the replicas of a node, with its threads and its memory.
     *
     * @param metrics those of the node's {@link RepairRunner}, too
     */
    public static RepairService of(Node node, RepairMetrics metrics) {
        return new RepairService(node.replicas(), node.executor(), node.budget(), metrics);
    }

    /** Registers the verb of a follower. */
    public void register(VerbHandlers handlers) {
        handlers.registerStream(
                RepairVerb.SESSION, stream -> new ServedSession(stream, replicas, executor, memory, metrics).start());
    }
}
