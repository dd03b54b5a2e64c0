package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerAddress;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/** A server on loopback and a client that reaches it. */
final class Nodes implements AutoCloseable {
    /** Registers what the server shall answer. */
    interface Services {
        void register(VerbHandlers handlers, Nodes own);
    }

    /** Few, so that whoever waits on one of them for an answer is found out. */
    private static final int THREADS = 2;

    private final Node node;
    private final InetSocketAddress address;

    Nodes(Services services) throws IOException {
        this(services, NetConfig.BUDGET_BYTES_DEFAULT);
    }

    /** @param budgetBytes for all that client and server are sent */
    Nodes(Services services, long budgetBytes) throws IOException {
        this(services, budgetBytes, CanonicalEncoder.LAYOUT_VERSION);
    }

    private Nodes(Services services, long budgetBytes, int encoding) throws IOException {
        NetConfig config = NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, encoding))
                .withBudget(ByteBudget.of(budgetBytes));
        node = Node.open(config, THREADS, new SecureRandom());
        services.register(node.handlers(), this);
        address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** A node that repairs these, as a follower and as a master. */
    static Nodes repairing(Replicas replicas, HostEnvironment host) throws IOException {
        return repairing(replicas, host, CanonicalEncoder.LAYOUT_VERSION);
    }

    /** @param encoding the newest version of the row encoding that it knows */
    static Nodes repairing(Replicas replicas, HostEnvironment host, int encoding) throws IOException {
        return new Nodes(
                (handlers, node) -> {
                    RepairEnvironment environment = node.environment(host);
                    new RepairService(replicas, node.executor(), environment.budget()).register(handlers);
                    new RepairRunner(node.id(), replicas, node.client().keepAll(5_000), node.waiting(), environment)
                            .register(handlers);
                },
                NetConfig.BUDGET_BYTES_DEFAULT,
                encoding);
    }

    /** With the node's threads, and memory of its own. */
    RepairEnvironment environment(HostEnvironment host) {
        return new RepairEnvironment(host, executor(), ByteBudget.of(64 << 20));
    }

    /** Those of a node that has one. */
    static Replicas replicas(ReplicaSource source) {
        return new Replicas().add("replica", source);
    }

    Executor executor() {
        return node.executor();
    }

    Executor waiting() {
        return node.waiting();
    }

    UUID id() {
        return node.identity().nodeId();
    }

    ByteBudget budget() {
        return node.budget();
    }

    NetClient client() {
        return node.client();
    }

    String address() {
        return PeerAddress.text(address);
    }

    Connection connect() throws IOException {
        return node.client().open(address);
    }

    @Override
    public void close() {
        node.close();
    }
}
