package io.anneal.cli.repair;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.node.PartitionReads;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A replica that takes part in repairs over the network, as follower and as master: what {@code anneal serve} runs and the
 * demo embeds. Owns its threads; closing ends them with every session.
 */
public final class RepairServer implements AutoCloseable {
    /** A server may be just starting. */
    public static final long CONNECT_PATIENCE_MS = 5_000;

    private static final long CLOSE_SECONDS = 10;
    private static final long DRAIN_MS = 5_000;

    private final ExecutorService executor;
    private final NetClient client;
    private final NetServer server;

    private RepairServer(ExecutorService executor, NetClient client, NetServer server) {
        this.executor = executor;
        this.client = client;
        this.server = server;
    }

    /** @param config as {@link #netConfig} makes it; sessions take their memory out of its budget */
    public static RepairServer start(
            InetSocketAddress address, ReplicaSource tables, NetConfig config, InstantSource clock) throws IOException {
        SecureRandom random = new SecureRandom();
        ExecutorService executor = Executors.newCachedThreadPool();
        NetClient client = null;
        try {
            client = NetClient.open(config, new VerbHandlers(executor), random);
            Connector followers = client.keepAll(CONNECT_PATIENCE_MS);
            VerbHandlers handlers = new VerbHandlers(executor);
            HostEnvironment host = HostEnvironment.system().withClock(clock);
            RepairEnvironment environment = new RepairEnvironment(host, executor, config.budget());
            new PartitionReads(tables).register(handlers);
            new RepairService(tables, executor, config.budget()).register(handlers);
            new RepairRunner(config.node().nodeId(), tables, followers, executor, environment).register(handlers);
            return new RepairServer(executor, client, NetServer.bind(config, address, handlers, random));
        } catch (IOException | RuntimeException failure) {
            if (client != null) {
                client.close();
            }
            executor.shutdownNow();
            throw failure;
        }
    }

    /** How nodes and commands of this version speak. */
    public static NetConfig netConfig(UUID nodeId, Optional<SharedToken> token, ByteBudget budget) {
        NodeIdentity identity = new NodeIdentity(nodeId, "", Map.of());
        return NetConfig.of(
                        identity,
                        token,
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION))
                .withBudget(budget);
    }

    public InetSocketAddress address() {
        return server.address();
    }

    /** Ends in good order: answers that are under way are given first. */
    void drain() {
        server.drain(DRAIN_MS);
        close();
    }

    @Override
    public void close() {
        server.close();
        client.close();
        // Sessions end on the executor, where they remove what was not finished.
        MoreExecutors.shutdownAndAwaitTermination(executor, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
