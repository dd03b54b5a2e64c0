package io.anneal.node;

import io.anneal.io.ByteBudget;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NodeIdentity;
import io.anneal.net.VerbHandlers;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * What a process has once, however many sessions it takes part in: an identity, a byte budget, threads, the way to its
 * peers, and its replicas by name. Services register their verbs with {@link #handlers()} before it listens. Safe for any
 * thread.
 *
 * <pre>{@code
 * try (Node node = Node.open(config, 8, new SecureRandom())) {
 *     node.add("n1", new StoreReplicas(store));
 *     InetSocketAddress address = node.listen(wanted);
 *     ...
 * }
 * }</pre>
 */
public final class Node implements Closeable {
    private static final long CLOSE_SECONDS = 10;
    private static final long IDLE_SECONDS = 10;

    private final NetConfig config;
    private final RandomGenerator random;
    private final ThreadPoolExecutor executor;
    private final VerbHandlers handlers;
    private final NetClient client;
    private final Map<String, ReplicaSource> replicas = new ConcurrentHashMap<>();
    private final List<NetServer> servers = new ArrayList<>();
    private boolean closed;

    private Node(NetConfig config, RandomGenerator random, ThreadPoolExecutor executor, VerbHandlers handlers) {
        this.config = config;
        this.random = random;
        this.executor = executor;
        this.handlers = handlers;
        client = NetClient.open(config, handlers, random);
    }

    /**
     * @param config  who it is and how it speaks, with the one budget of all that it does
     * @param threads for handlers and sessions, which read and write files; what finds none free waits
     * @param random  a {@link java.security.SecureRandom} outside of tests; must be safe for several threads
     */
    public static Node open(NetConfig config, int threads, RandomGenerator random) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "anneal-node-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        boolean opened = false;
        try {
            Node node = new Node(config, random, executor, new VerbHandlers(executor));
            opened = true;
            return node;
        } finally {
            if (!opened) {
                executor.shutdownNow();
            }
        }
    }

    public NodeIdentity identity() {
        return config.node();
    }

    /** Everything that is held for peers and sessions comes out of it. */
    public ByteBudget budget() {
        return config.budget();
    }

    /** For work that reads and writes files; not for what waits for other nodes. */
    public Executor executor() {
        return executor;
    }

    /** What it answers, on every connection, whoever opened it. */
    public VerbHandlers handlers() {
        return handlers;
    }

    /** Opens connections to other nodes; closed with the node. */
    public NetClient client() {
        return client;
    }

    /** @throws IllegalArgumentException when the name is taken */
    public Node add(String name, ReplicaSource source) {
        if (replicas.putIfAbsent(name, source) != null) {
            throw new IllegalArgumentException("node has replicas of this name already, name=" + name);
        }
        return this;
    }

    /** @throws ReplicaException when there are none of this name */
    public ReplicaSource replicas(String name) throws ReplicaException {
        ReplicaSource source = replicas.get(name);
        if (source == null) {
            throw new ReplicaException("node has no replicas of this name, name=" + name + ", names=" + replicaNames());
        }
        return source;
    }

    public Set<String> replicaNames() {
        return Set.copyOf(replicas.keySet());
    }

    /**
     * Starts to listen; a node may listen on several addresses.
     *
     * @param address as {@link NetServer#bind} takes it
     * @return the address that peers connect to
     */
    public synchronized InetSocketAddress listen(InetSocketAddress address) throws IOException {
        if (closed) {
            throw new IllegalStateException("node is closed, node=" + identity().nodeId());
        }
        NetServer server = NetServer.bind(config, address, handlers, random);
        servers.add(server);
        return server.address();
    }

    /** Takes no more streams, and waits until those that are open have ended. */
    public void drain(long timeoutMs) {
        List<NetServer> listening;
        synchronized (this) {
            listening = List.copyOf(servers);
        }
        listening.forEach(server -> server.drain(timeoutMs));
    }

    /** Ends connections, and waits for what sessions have to remove. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            servers.forEach(NetServer::close);
        }
        client.close();
        executor.shutdown();
        try {
            if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
