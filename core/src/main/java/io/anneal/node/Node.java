package io.anneal.node;

import io.anneal.io.Arguments;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connector;
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
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process has once, however many sessions it takes part in: an identity, a byte budget, threads, the way to its
 * peers, and its replicas by name. Services register their verbs with {@link #handlers()} before it listens. Safe for any
 * thread.
 *
 * <pre>{@code
 * try (Node node = Node.open(config, 8, new SecureRandom())) {
 *     node.replicas().add("n1", new StoreReplicas(store));
 *     InetSocketAddress address = node.listen(wanted);
 *     ...
 * }
 * }</pre>
 */
public final class Node implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    /** So many may wait for other nodes at once. */
    private static final int WAITING_THREADS = 32;

    /** A peer may be just starting. */
    private static final long CONNECT_PATIENCE_MS = 5_000;

    private static final long CLOSE_MS = 10_000;
    private static final long IDLE_SECONDS = 10;

    private final NetConfig config;
    private final RandomGenerator random;
    private final ThreadPoolExecutor executor;
    private final ThreadPoolExecutor waiting;
    private final VerbHandlers handlers;
    private final NetClient client;
    private final Connector peers;
    private final Replicas replicas = new Replicas();
    private final List<NetServer> servers = new ArrayList<>();
    private final long closeMs;
    private boolean closed;

    private Node(
            NetConfig config,
            RandomGenerator random,
            ThreadPoolExecutor executor,
            ThreadPoolExecutor waiting,
            long closeMs) {
        this.closeMs = closeMs;
        this.config = config;
        this.random = random;
        this.executor = executor;
        this.waiting = waiting;
        handlers = new VerbHandlers(executor);
        client = NetClient.open(config, handlers, random);
        peers = client.keepAll(CONNECT_PATIENCE_MS);
    }

    /**
     * @param config  who it is and how it speaks, with the one budget of all that it does
     * @param threads for handlers and sessions, which read and write files; what finds none free waits
     * @param random  a {@link java.security.SecureRandom} outside of tests; must be safe for several threads
     */
    public static Node open(NetConfig config, int threads, RandomGenerator random) {
        return open(config, threads, random, CLOSE_MS);
    }

    /** @param closeMs how long {@link #close} lets work go on before it interrupts it */
    static Node open(NetConfig config, int threads, RandomGenerator random, long closeMs) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(random, "random");
        Arguments.positive("threads", threads);
        ThreadPoolExecutor executor = executor(threads, threads, new LinkedBlockingQueue<>(), "anneal-node-");
        executor.allowCoreThreadTimeOut(true);
        ThreadPoolExecutor waiting = executor(0, WAITING_THREADS, new SynchronousQueue<>(), "anneal-node-waiting-");
        boolean opened = false;
        try {
            Node node = new Node(config, random, executor, waiting, closeMs);
            opened = true;
            return node;
        } finally {
            if (!opened) {
                executor.shutdownNow();
                waiting.shutdownNow();
            }
        }
    }

    private static ThreadPoolExecutor executor(
            int threads, int threadsMost, BlockingQueue<Runnable> queue, String name) {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(threads, threadsMost, IDLE_SECONDS, TimeUnit.SECONDS, queue, task -> {
            Thread thread = new Thread(task, name + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    public NodeIdentity identity() {
        return config.node();
    }

    /** Everything that is held for peers and sessions comes out of it. */
    public ByteBudget budget() {
        return config.budget();
    }

    /** For work that reads and writes files; never for what waits for other nodes, see {@link #waiting()}. */
    public Executor executor() {
        return executor;
    }

    /**
     * For work that waits for other nodes, as the master of a repair does: each on a thread of its own, so that the answers
     * that it waits for always find one. Refuses with {@link java.util.concurrent.RejectedExecutionException} when too many wait.
     */
    public Executor waiting() {
        return waiting;
    }

    /** What it answers, on every connection, whoever opened it. */
    public VerbHandlers handlers() {
        return handlers;
    }

    /** Opens connections to other nodes; closed with the node. */
    public NetClient client() {
        return client;
    }

    /** Connections to other nodes that all share, one an address; waits a while for one that does not answer yet. */
    public Connector peers() {
        return peers;
    }

    /** What it has, by the names that peers ask for. */
    public Replicas replicas() {
        return replicas;
    }

    /**
     * Starts to listen; a node may listen on several addresses.
     *
     * @param address as {@link NetServer#bind} takes it
     * @return the address that peers connect to
     */
    public synchronized InetSocketAddress listen(InetSocketAddress address) throws IOException {
        Objects.requireNonNull(address, "address");
        if (closed) {
            throw new IllegalStateException("node is closed, node=" + identity().nodeId());
        }
        NetServer server = NetServer.bind(config, address, handlers, random);
        servers.add(server);
        return server.address();
    }

    /** Where peers connect to, in the order in which it began to listen. */
    public synchronized List<InetSocketAddress> addresses() {
        return servers.stream().map(NetServer::address).toList();
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
        // Whoever waits has been told that its peers are gone; what it then removes may need the other threads.
        end(waiting);
        end(executor);
    }

    private void end(ExecutorService executor) {
        executor.shutdown();
        try {
            if (executor.awaitTermination(closeMs, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdownNow().forEach(Node::runHere);
    }

    /** What found no thread holds memory and files, and somebody waits for it: it comes to its end without its peers. */
    private static void runHere(Runnable left) {
        try {
            left.run();
        } catch (RuntimeException | Error failed) {
            LOG.warn("work that was left when the node closed has failed", failed);
        }
    }
}
