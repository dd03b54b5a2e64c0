package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveNodeConfig;
import io.anneal.agent.LiveNodeException;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.faults.Commands;
import io.anneal.io.ByteBudget;
import io.anneal.net.NetConfig;
import io.anneal.net.TokenFile;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster of three nodes, each with an agent beside it: what one lost by chance is found and given back by one command, while
 * all run; commands and agents that are killed leave nothing behind; and what must not be imported is not.
 */
final class ClusterRepairTest {
    private static final int NODES = 3;
    private static final int TOKENS = 4;

    private static final String SYNCED = "Previewed data was in sync";
    private static final List<String> COLUMNS = List.of("p", "c", "s", "v", "m", "l");

    private final long before = Instant.now().getEpochSecond() * 1_000_000 - 3_600_000_000L;
    private LiveCluster cluster;

    @TempDir
    private Path directory;

    @Test
    void shouldMakeNodesThatRunEqualAndLeaveNothingBehind() throws Exception {
        try (LiveCluster started =
                LiveCluster.start(LiveCluster.Shape.of("127.0.2", NODES, TOKENS, new Random(21)), directory)) {
            cluster = started;
            createTables();
            refusesTheCqlOfAnotherNode();
            damage();
            repairsWithOneCommand();
            leavesNothingWhenTheCommandIsKilled();
            goesOnWhenTheCommandWasKilled();
            leavesNothingWhenAnAgentIsKilled();
            doesNotBringBackWhatWasTruncated();
            saysWhichNodeDidNotImport();
            givesMemoryBackWhereNothingIsHeld();
        }
    }

    private void refusesTheCqlOfAnotherNode() throws IOException {
        LiveNodeConfig two = LiveNodeConfig.of(
                new InetSocketAddress("127.0.0.1", cluster.node(0).jmxPort()),
                new InetSocketAddress(cluster.host(1), cluster.node(1).cqlPort()));
        try (LiveNode node = LiveNode.open(two, HostEnvironment.system())) {
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> node.tables("shop"))
                    .withMessageContaining("CQL and JMX are of two nodes")
                    .withMessageContaining("cql=" + cluster.host(1))
                    .withMessageContaining("jmx-host-id=" + node.hostId());
        }
    }

    private void createTables() {
        cluster.node(0)
                .execute(
                        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
        for (String table : List.of("orders", "whole", "base", "first", "second", "third")) {
            cluster.node(0)
                    .execute("CREATE TABLE shop." + table
                            + " (p int, c int, s text static, v text, m map<text, text>, l set<int>, PRIMARY KEY (p,"
                            + " c)) WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        }
        cluster.awaitAgreement();
    }

    /** Executed at all nodes, for the table that lacks nothing and for the one whose files only some get. */
    private void write(String part, int age, String... statements) {
        for (String statement : statements) {
            for (String table : List.of("whole", part)) {
                cluster.session()
                        .execute(SimpleStatement.newInstance(statement
                                        .replace("TABLE", "shop." + table)
                                        .replaceAll("\\bAT\\b", "USING TIMESTAMP " + (before + age)))
                                .setConsistencyLevel(ConsistencyLevel.ALL));
            }
        }
    }

    /** Gives the files of a table to the one that is repaired, at some nodes. */
    private void give(String part, int... receivers) throws IOException {
        Path files = cluster.files(0, "shop", part);
        for (int node : receivers) {
            cluster.node(node).importDirectory("shop", "orders", files);
        }
    }

    private void damage() throws IOException {
        for (int p = 0; p < 10; p++) {
            write("base", 0, "INSERT INTO TABLE (p, s) VALUES (" + p + ", 'static') AT");
            for (int c = 0; c < 4; c++) {
                write(
                        "base",
                        0,
                        "INSERT INTO TABLE (p, c, v, m, l) VALUES (" + p + ", " + c
                                + ", 'v', {'a': '1', 'b': '2'}, {1, 2}) AT");
            }
        }
        give("base", 0, 1, 2);
        write(
                "first",
                1,
                "INSERT INTO TABLE (p, c, v) VALUES (20, 0, 'missing') AT",
                "INSERT INTO TABLE (p, c, v) VALUES (0, 0, 'overwritten') AT",
                "DELETE FROM TABLE AT WHERE p = 1 AND c = 1",
                "DELETE FROM TABLE AT WHERE p = 2 AND c > 1",
                "DELETE FROM TABLE AT WHERE p = 3",
                "DELETE v FROM TABLE AT WHERE p = 4 AND c = 0",
                "INSERT INTO TABLE (p, c, v) VALUES (5, 9, 'expires') AT AND TTL 100000",
                "UPDATE TABLE AT SET s = 'changed' WHERE p = 6",
                "UPDATE TABLE AT SET m['c'] = '3', l = l - {1} WHERE p = 7 AND c = 0",
                "UPDATE TABLE AT SET m = {'d': '4'} WHERE p = 8 AND c = 0");
        give("first", 0, 1);
        write(
                "second",
                2,
                "INSERT INTO TABLE (p, c, v) VALUES (21, 0, 'at one node') AT",
                "INSERT INTO TABLE (p, c, v) VALUES (24, 0, 'older than gc_grace') USING TIMESTAMP "
                        + (before - 20L * 86_400_000_000L),
                "DELETE FROM TABLE AT WHERE p = 9 AND c = 0");
        give("second", 0);
    }

    private void repairsWithOneCommand() throws IOException {
        List<String> expected = rows(0, "whole");
        assertThat(rows(2, "orders")).isNotEqualTo(expected);
        assertThat(preview()).doesNotContain(SYNCED);
        Commands.Result dry = cluster.command("repair", "shop.orders", "--dry-run", "--rows");
        assertThat(dry.exitCode()).as(dry.err()).isEqualTo(1);
        assertThat(dry.out()).contains("differs: key=[20] clustering=[0]", "the replicas differ (dry run");

        Commands.Result refused =
                cluster.command("repair", "shop.orders", "--older-than-gc-grace", "refuse", "--no-fence");
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(1);
        assertThat(refused.out())
                .contains("shop.orders: refused: no node imports it", cluster.agent(2) + ": imported 0 SSTables")
                .doesNotContain("covered until");
        assertThat(preview()).doesNotContain(SYNCED);
        Commands.Result repaired = cluster.command("repair", "shop.orders");

        assertThat(repaired.exitCode()).as(repaired.err() + repaired.out()).isZero();
        assertThat(repaired.out())
                .contains(cluster.agent(2) + ": shop.orders: 1 row that the node lacks, or cells of it, is older")
                .contains(cluster.agent(1) + ": imported 1 SSTable", cluster.agent(2) + ": imported 1 SSTable")
                .contains("shop.orders: covered until ");
        assertThat(repaired.err()).as("the agents have looked").doesNotContain("materialized views");
        assertThat(preview()).contains(SYNCED);
        for (int i = 0; i < NODES; i++) {
            assertThat(rows(i, "orders")).as("node " + i).isEqualTo(expected);
        }
        Commands.Result again = cluster.command("repair", "shop.orders", "--dry-run", "--include-recent", "--read-all");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("the replicas are equal").doesNotContain("by sums of an earlier repair");
        Commands.Result known = cluster.command("repair", "shop.orders", "--dry-run", "--include-recent");
        assertThat(known.exitCode()).as(known.err()).isZero();
        assertThat(known.out())
                .contains("the replicas are equal")
                .containsPattern("compared (\\d+) rows of the whole ring, \\1 of them by sums of an earlier repair")
                .contains(cluster.agent(2) + ": read 0 rows");
        assertThat(cluster.command("status").exitCode()).isZero();
        Commands.Result covered =
                Commands.run("repair", "--history", "--table", "shop.orders", "--state", cluster.state());
        assertThat(covered.exitCode()).as(covered.out()).isZero();
        for (int i = 0; i < NODES; i++) {
            assertThat(holdsNothing(i)).as("node " + i).isTrue();
        }
    }

    private String preview() {
        return cluster.node(0).nodetool("repair", "--preview", "--full", "shop", "orders");
    }

    private List<String> rows(int node, String table) throws IOException {
        return cluster.rows(
                node,
                "shop",
                table,
                row -> COLUMNS.stream()
                        .map(column -> column + "=" + row.value(column))
                        .toList()
                        .toString());
    }

    private boolean holdsNothing(int node) {
        return cluster.left(node, "shop").isEmpty();
    }

    private void leavesNothingWhenTheCommandIsKilled() throws Exception {
        write("third", 3, "INSERT INTO TABLE (p, c, v) VALUES (22, 0, 'later') AT");
        give("third", 0);
        Path log = directory.resolve("killed.log");
        Process command = cluster.start(log, "repair", "shop.orders", "--read-all", "--rate", "1", "--lease", "5");
        LiveCluster.await("it has snapshots", () -> contains(log, "snapshots are taken") || !command.isAlive());
        assertThat(cluster.command("status").exitCode())
                .as(Files.readString(log))
                .isEqualTo(1);
        assertThat(holdsNothing(2)).isFalse();

        command.destroyForcibly().waitFor();

        cluster.assertNothingLeft("shop");
        assertThat(cluster.command("status").exitCode()).isZero();
        assertThat(preview()).doesNotContain(SYNCED);
    }

    private void goesOnWhenTheCommandWasKilled() throws Exception {
        String state = directory.resolve("killed").toString();
        Path log = directory.resolve("goes-on.log");
        Process command = cluster.start(
                log, "repair", "shop.orders", "--read-all", "--rate", "3", "--parallel", "1", "--state", state);
        LiveCluster.await("a part is done", () -> hasPart(Path.of(state)) || !command.isAlive());
        assertThat(Commands.run("cluster", "repair", "--status", "--state", state)
                        .out())
                .as(Files.readString(log))
                .contains("is running since", "snapshots of ", "3 rows/s, all day");
        Commands.Result second = Commands.run("cluster", "repair", "--resume", "--state", state);
        assertThat(second.exitCode()).as(second.out()).isEqualTo(5);

        command.destroyForcibly().waitFor();

        assertThat(holdsNothing(2)).isFalse();
        Commands.Result resumed = Commands.run("cluster", "repair", "--resume", "--rate", "0", "--state", state);
        assertThat(resumed.exitCode()).as(resumed.err() + resumed.out()).isZero();
        assertThat(resumed.out()).contains(cluster.agent(1) + ": imported ", "shop.orders: covered until ");
        assertThat(preview()).contains(SYNCED);
        for (int i = 0; i < NODES; i++) {
            assertThat(holdsNothing(i)).as("node " + i).isTrue();
        }
        write("third", 4, "INSERT INTO TABLE (p, c, v) VALUES (23, 0, 'later') AT");
        give("third", 0);
    }

    private static boolean hasPart(Path state) {
        try (Stream<Path> files = Files.isDirectory(state) ? Files.walk(state) : Stream.of()) {
            for (Path checkpoint :
                    files.filter(file -> file.endsWith("checkpoint-shop")).toList()) {
                if (Files.readAllLines(checkpoint).stream().anyMatch(line -> line.startsWith("done "))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            // It is replaced just now.
            return false;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private static boolean contains(Path log, String text) {
        try {
            return Files.exists(log) && Files.readString(log).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a command does, with steps in between. */
    private interface Steps {
        void run(ClusterHold hold, Repairing repairing) throws Exception;
    }

    private interface Repairing {
        void run() throws IOException;
    }

    private void holding(Steps steps) throws Exception {
        HostEnvironment host = HostEnvironment.system();
        NetConfig config = CommandNode.config(
                UUID.randomUUID(), Optional.of(TokenFile.read(cluster.token())), ByteBudget.of(64 << 20));
        Ring ring = Ring.parse(cluster.node(0).nodetool("describering", "shop"));
        try (Node node = Node.open(config, 4, new SecureRandom())) {
            List<AgentPeer> peers = IntStream.range(0, NODES)
                    .mapToObj(i -> new AgentPeer(node.peers(), RepairRunner.address(cluster.agent(i))))
                    .toList();
            try (ClusterHold hold =
                    ClusterHold.take(peers, host.newId(), List.of("shop.orders"), Duration.ofMinutes(1), host)) {
                hold.takeSnapshots();
                steps.run(
                        hold,
                        () -> Repair.of("shop.orders")
                                .ring(ring, List.of(cluster.host(0), cluster.host(1), cluster.host(2)))
                                .between(peers.stream()
                                        .map(peer -> RepairMember.at(peer.connector(), peer.address()))
                                        .toList())
                                .run(new RepairEnvironment(host, node.executor(), node.budget())));
            }
        }
    }

    private void leavesNothingWhenAnAgentIsKilled() throws Exception {
        holding((hold, repairing) -> {
            repairing.run();
            cluster.killAgent(2);
            assertThat(cluster.agentDirectory(2).resolve("runs")).isNotEmptyDirectory();

            cluster.restartAgent(2);

            assertThat(holdsNothing(2)).isTrue();
            List<ClusterHold.Imported> imported = hold.importAll();
            assertThat(imported.get(0).failure()).isEmpty();
            assertThat(imported.get(1).failure()).isEmpty();
            assertThat(imported.get(1).sstables()).isEqualTo(1);
            assertThat(imported.get(2).failure().orElseThrow()).hasMessageContaining("nothing is held for the run");
        });
    }

    private void doesNotBringBackWhatWasTruncated() throws Exception {
        holding((hold, repairing) -> {
            repairing.run();
            cluster.node(0).truncate("shop", "orders");

            List<ClusterHold.Imported> imported = hold.importAll();

            assertThat(imported.get(2).failure().orElseThrow()).hasMessageContaining("table was truncated");
        });
        for (int i = 0; i < NODES; i++) {
            assertThat(rows(i, "orders")).as("node " + i).isEmpty();
        }
    }

    private void saysWhichNodeDidNotImport() throws Exception {
        give("base", 0);
        holding((hold, repairing) -> {
            repairing.run();
            cluster.node(2).close();

            List<ClusterHold.Imported> imported = hold.importAll();

            assertThat(imported.get(2).failure()).isPresent();
            assertThat(imported.get(2).agent().name()).isEqualTo(cluster.agent(2));
        });
        for (int i = 0; i < 2; i++) {
            assertThat(holdsNothing(i)).as("node " + i).isTrue();
        }
    }

    /** An agent waits for days, with what its last run has left. */
    private void givesMemoryBackWhereNothingIsHeld() {
        LiveCluster.await("agent has collected", () -> contains(cluster.collections(0), "(System.gc())"));
    }
}
