package io.anneal.cli.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteBudget;
import io.anneal.io.RateLimiter;
import io.anneal.metrics.OwnedMetrics;
import io.anneal.net.NetConfig;
import io.anneal.net.NetMetrics;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.PartitionReads;
import io.anneal.node.ReplicaSource;
import io.anneal.node.ReplicaTables;
import io.anneal.paging.PagingService;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMetrics;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import io.anneal.streaming.StreamRunner;
import io.anneal.streaming.StreamService;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node that a command is: what asks peers, and what {@code anneal serve} and the demo answer with. Closing ends it with every
 * session. Safe for any thread.
 */
public final class CommandNode implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandNode.class);

    private static final long DRAIN_MS = 5_000;
    private static final int THREADS_MIN = 8;
    /** The only one, whose name peers need not know. */
    private static final String REPLICA = "data";

    private final Node node;
    /** What it counts; nothing where it only asks. */
    private final List<OwnedMetrics> metrics = new ArrayList<>();

    private Optional<PagingService> paging = Optional.empty();

    private CommandNode(NetConfig config) {
        int threads = Math.max(THREADS_MIN, 2 * Runtime.getRuntime().availableProcessors());
        node = Node.open(config, threads, new SecureRandom());
    }

    /** A node that only asks. */
    public static CommandNode open(NetConfig config) {
        return new CommandNode(config);
    }

    /** A node that offers a replica to repairs, as follower and as master, to reads and paged scans, and to streaming, both ways. */
    public static CommandNode serve(
            InetSocketAddress address, ReplicaSource tables, NetConfig config, HostEnvironment host)
            throws IOException {
        return serve(address, tables, config, host, RateLimiter.UNLIMITED, handlers -> {});
    }

    /**
     * @param streamBytesPerSecond which it fetches at most, for all that ask it to
     * @param more registers what it answers beside
     */
    static CommandNode serve(
            InetSocketAddress address,
            ReplicaSource tables,
            NetConfig config,
            HostEnvironment host,
            long streamBytesPerSecond,
            Consumer<VerbHandlers> more)
            throws IOException {
        String nodeId = config.node().nodeId().toString();
        NetMetrics metrics = new NetMetrics(nodeId, host.nanoTime());
        CommandNode served = new CommandNode(config.withMetrics(metrics));
        served.metrics.add(metrics);
        boolean listens = false;
        try {
            served.offer(tables, host, streamBytesPerSecond);
            more.accept(served.node.handlers());
            served.node.listen(address);
            listens = true;
            return served;
        } finally {
            if (!listens) {
                served.close();
            }
        }
    }

    private void offer(ReplicaSource tables, HostEnvironment host, long streamBytesPerSecond) {
        String nodeId = node.identity().nodeId().toString();
        RepairMetrics repairs = new RepairMetrics(nodeId, host.nanoTime());
        PagingMetrics scans = new PagingMetrics(nodeId, host.nanoTime());
        metrics.addAll(List.of(repairs, scans));
        node.replicas().add(REPLICA, tables);
        new PartitionReads(node.replicas()).register(node.handlers());
        new ReplicaTables(node.replicas()).register(node.handlers());
        RepairService.of(node, host, repairs).register(node.handlers());
        RepairEnvironment environment = new RepairEnvironment(host, node.executor(), node.budget(), repairs)
                .withTransfer(new StreamedRanges(host));
        RepairRunner.of(node, environment).register(node.handlers());
        StreamService.of(node, host).register(node.handlers());
        StreamRunner.of(node, host, streamBytesPerSecond).register(node.handlers());
        paging = Optional.of(PagingService.of(node, host, scans).register(node.handlers()));
    }

    /** How nodes and commands of this version speak. */
    public static NetConfig config(UUID nodeId, Optional<SharedToken> token, ByteBudget budget) {
        NodeIdentity identity = new NodeIdentity(nodeId, "", Map.of());
        return NetConfig.of(
                        identity,
                        token,
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, CanonicalEncoder.LAYOUT_VERSION))
                .withBudget(budget);
    }

    public Node node() {
        return node;
    }

    public InetSocketAddress address() {
        return node.addresses().get(0);
    }

    /** What it counts, each in Prometheus' text format; nothing where it only asks. */
    List<Supplier<String>> metricsTexts() {
        return metrics.stream().<Supplier<String>>map(counts -> counts::text).toList();
    }

    /**
     * Waits for a signal, which ends the process, but not before peers are told and what they left unfinished is removed.
     *
     * @param first is done before that
     * @param written what holds what peers give, closed behind them
     */
    void awaitStop(Runnable first, Closeable written) throws InterruptedException {
        metrics.forEach(OwnedMetrics::startJmx);
        Thread drain = new Thread(
                () -> {
                    first.run();
                    drain(written);
                },
                "anneal-drain");
        Runtime.getRuntime().addShutdownHook(drain);
        try {
            new CountDownLatch(1).await();
        } finally {
            Runtime.getRuntime().removeShutdownHook(drain);
        }
    }

    /** Answers that are under way are given first. */
    private void drain(Closeable written) {
        node.drain(DRAIN_MS);
        close();
        try {
            written.close();
        } catch (IOException failed) {
            LOG.error("what peers wrote was not closed well", failed);
        }
    }

    @Override
    public void close() {
        node.close();
        paging.ifPresent(PagingService::close);
        metrics.forEach(OwnedMetrics::close);
    }
}
