package io.anneal.conformance;

import io.anneal.agent.Agent;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.AgentService;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.agent.LiveNodeConfig;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.io.Closing;
import io.anneal.key.TokenRange;
import io.anneal.net.SharedToken;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.StagingArea;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** An agent beside a real node, asked over loopback, and repairs of that node with directories. */
final class AgentBeside implements Closeable {
    private final HostEnvironment host;
    private final Path directory;
    private final Agent agent;
    private final Node served;
    private final Node asking;
    private final AgentPeer asked;
    private int replicas;

    /** @param directory on the file system of the node's data */
    AgentBeside(CassandraPeer peer, Path directory) throws IOException {
        this(peer, directory, HostEnvironment.system());
    }

    /** @param host of the agent */
    AgentBeside(CassandraPeer peer, Path directory, HostEnvironment host) throws IOException {
        this(LiveNodeTest.config(peer), directory, host);
    }

    /** @param config by which the agent reaches the node */
    AgentBeside(LiveNodeConfig config, Path directory, HostEnvironment host) throws IOException {
        this.host = host;
        this.directory = directory;
        agent = Agent.open(config, directory.resolve("agent"), host);
        served = node();
        new AgentService(agent).register(served.handlers());
        asked = new AgentPeer(
                (asking = node()).peers(), served.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }

    private static Node node() {
        SharedToken token = SharedToken.of("a secret of more than sixteen bytes".getBytes(StandardCharsets.UTF_8));
        return Node.open(
                CommandNode.config(UUID.randomUUID(), Optional.of(token), ByteBudget.of(64 << 20)),
                4,
                new SecureRandom());
    }

    Agent agent() {
        return agent;
    }

    /** By whom it is asked. */
    AgentPeer asked() {
        return asked;
    }

    ClusterHold hold(GuardedTables.Fence fence, String... tables) throws IOException {
        return ClusterHold.take(
                List.of(asked), UUID.randomUUID(), List.of(tables), fence, Duration.ofMinutes(10), host);
    }

    /** Repairs what the node held when its snapshot was taken with a table's directory, which receives elsewhere what it lacks. */
    void repair(String table, Path data) throws IOException {
        repair(table, data, UUID.randomUUID(), TokenRange.FULL);
    }

    /** The same in so many sessions of one run, of equal parts of the ring. */
    void repairInSessions(int sessions, String table, Path data) throws IOException {
        UUID run = UUID.randomUUID();
        long part = Long.MAX_VALUE / sessions * 2;
        for (int i = 0; i < sessions; i++) {
            long start = Long.MIN_VALUE + i * part;
            repair(table, data, run, new TokenRange(start, i == sessions - 1 ? Long.MIN_VALUE : start + part));
        }
    }

    private void repair(String table, Path data, UUID run, TokenRange range) throws IOException {
        Path staged = directory.resolve("received" + replicas++);
        try (StagingArea staging = StagingArea.open(staged, "other", host.clock())) {
            CassandraReplicas other = new CassandraReplicas(List.of(data), Optional.empty(), Optional.of(staging))
                    .withViewsAndCdcChecked();
            Repair.of(table)
                    .range(range)
                    .allReplicas(true)
                    .runId(run)
                    .between(List.of(
                            RepairMember.here("live", agent.replicas("live")), RepairMember.here("other", other)))
                    .run(new RepairEnvironment(host, asking.executor(), asking.budget()));
        }
    }

    @Override
    public void close() throws IOException {
        Closing.all(List.of(asking, served, agent));
    }
}
