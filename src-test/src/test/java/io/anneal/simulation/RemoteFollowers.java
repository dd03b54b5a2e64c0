package io.anneal.simulation;

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
import io.anneal.node.Replicas;
import io.anneal.repair.Participant;
import io.anneal.repair.RemoteParticipant;
import io.anneal.repair.RepairService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/** Replicas that are reached over connections, each behind a server of its own; of what network is for the implementations. */
abstract class RemoteFollowers implements AutoCloseable {
    private static final VersionRange LAYOUT =
            new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION);

    private static final long SESSIONS_BYTES = 64 << 20;

    private final List<NetServer> servers = new ArrayList<>();
    private final List<Integer> clusteringColumns = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private final ByteBudget sessions = ByteBudget.of(SESSIONS_BYTES);
    private NetClient client;

    static UUID nodeId(int number) {
        return new UUID(1, number);
    }

    /** A node of its own, with a budget of its own. */
    static NetConfig config(int number, long budgetBytes) {
        return NetConfig.of(
                        new NodeIdentity(nodeId(number), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        LAYOUT)
                .withBudget(ByteBudget.of(budgetBytes));
    }

    /** Starts a server. */
    abstract NetServer serve(int number, MemoryReplica replica) throws IOException;

    abstract NetClient newClient();

    void register(VerbHandlers handlers, MemoryReplica replica, Executor executor) {
        Replicas replicas = new Replicas().add("replica", (keyspace, table, staged) -> replica);
        new RepairService(replicas, executor, sessions).register(handlers);
    }

    /** What sessions hold at all servers. */
    long sessionBytes() {
        return sessions.reservedBytes();
    }

    /** Serves the replicas. */
    void serve(List<MemoryReplica> replicas) throws IOException {
        for (MemoryReplica replica : replicas) {
            servers.add(serve(servers.size() + 1, replica));
            clusteringColumns.add(replica.schema().clustering().size());
        }
    }

    /** New connections to all that are served; those before are closed. */
    List<Participant> connect() throws IOException {
        if (client == null) {
            client = newClient();
        }
        connections.forEach(Connection::close);
        connections.clear();
        List<Participant> connected = new ArrayList<>();
        try {
            for (int i = 0; i < servers.size(); i++) {
                InetSocketAddress address = servers.get(i).address();
                connections.add(client.open(address));
                connected.add(
                        new RemoteParticipant(connections.get(i), Replicas.THE_ONLY_ONE, clusteringColumns.get(i)));
            }
            return connected;
        } catch (IOException failed) {
            connected.forEach(Participant::close);
            throw failed;
        }
    }

    List<NetServer> servers() {
        return servers;
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        servers.forEach(NetServer::close);
    }
}
