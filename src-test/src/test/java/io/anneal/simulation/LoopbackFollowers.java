package io.anneal.simulation;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.repair.RemoteReplica;
import io.anneal.repair.RepairService;
import io.anneal.repair.Replica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Replicas that are reached over real loopback connections, each behind a server of its own. */
final class LoopbackFollowers implements AutoCloseable {
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Random nonces = new Random(1);
    private final NetConfig config = NetConfig.of(
            new NodeIdentity(new UUID(1, 1), "", Map.of()),
            Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
            new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION));
    private final NetClient client = NetClient.open(config, new VerbHandlers(executor), nonces);
    private final List<NetServer> servers = new ArrayList<>();

    /** Serves the replicas; each call gives new connections. */
    List<Replica> connect(List<MemoryReplica> replicas) throws IOException {
        List<Replica> connected = new ArrayList<>();
        for (MemoryReplica replica : replicas) {
            VerbHandlers handlers = new VerbHandlers(executor);
            new RepairService((keyspace, table, staged) -> replica, executor, 1).register(handlers);
            NetServer server = NetServer.bind(
                    config, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handlers, nonces);
            servers.add(server);
            connected.add(new RemoteReplica(
                    client.open(server.address()), replica.schema().clustering().size()));
        }
        return connected;
    }

    @Override
    public void close() {
        client.close();
        servers.forEach(NetServer::close);
        executor.shutdown();
    }
}
