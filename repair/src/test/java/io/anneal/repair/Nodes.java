package io.anneal.repair;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on loopback and a client that reaches it. */
final class Nodes implements AutoCloseable {
    /** Registers what the server shall answer. */
    interface Services {
        void register(VerbHandlers handlers, Nodes own);
    }

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final NetClient client;
    private final NetServer server;
    private final ByteBudget budget;

    Nodes(Services services) throws IOException {
        this(services, NetConfig.BUDGET_BYTES_DEFAULT);
    }

    /** @param budgetBytes for all that client and server are sent */
    Nodes(Services services, long budgetBytes) throws IOException {
        SecureRandom random = new SecureRandom();
        NetConfig config = NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION))
                .withBudget(ByteBudget.of(budgetBytes));
        budget = config.budget();
        client = NetClient.open(config, new VerbHandlers(executor), random);
        VerbHandlers handlers = new VerbHandlers(executor);
        services.register(handlers, this);
        server = NetServer.bind(config, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handlers, random);
    }

    ExecutorService executor() {
        return executor;
    }

    ByteBudget budget() {
        return budget;
    }

    NetClient client() {
        return client;
    }

    String address() {
        return server.address().getHostString() + ":" + server.address().getPort();
    }

    Connection connect() throws IOException {
        return client.open(server.address());
    }

    @Override
    public void close() {
        client.close();
        server.close();
        executor.shutdownNow();
    }
}
