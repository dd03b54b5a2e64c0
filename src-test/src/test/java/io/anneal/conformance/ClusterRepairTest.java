package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.faults.Commands;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.TokenFile;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
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
    /** On a busy machine a node hears of the others late. */
    private static final List<String> OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-Dcassandra.skip_sync=true", "-Dcassandra.ring_delay_ms=5000");

    private static final String SYNCED = "Previewed data was in sync";
    private static final List<String> COLUMNS = List.of("p", "c", "s", "v", "m", "l");

    private final Random random = new Random(21);
    private final List<CassandraPeer> nodes = new ArrayList<>();
    private final List<Commands.Server> agents = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final long before = Instant.now().getEpochSecond() * 1_000_000 - 3_600_000_000L;
    private CqlSession session;
    private Path token;
    private int copies;

    @TempDir
    private Path directory;

    @Test
    void shouldMakeNodesThatRunEqualAndLeaveNothingBehind() throws Exception {
        try {
            start();
            damage();
            repairsWithOneCommand();
            leavesNothingWhenTheCommandIsKilled();
            goesOnWhenTheCommandWasKilled();
            leavesNothingWhenAnAgentIsKilled();
            doesNotBringBackWhatWasTruncated();
            saysWhichNodeDidNotImport();
        } finally {
            agents.forEach(Commands.Server::close);
            if (session != null) {
                session.close();
            }
            for (int i = nodes.size() - 1; i >= 0; i--) {
                nodes.get(i).close();
            }
        }
    }

    private static String host(int node) {
        return "127.0.2." + (node + 1);
    }

    private void start() throws IOException {
        for (int i = 0; i < NODES; i++) {
            String tokens = random.longs(TOKENS).mapToObj(Long::toString).collect(Collectors.joining(","));
            String seedNode = i == 0 ? "" : host(0) + ":" + nodes.get(0).storagePort();
            nodes.add(CassandraPeer.start(CassandraPeerConfig.in(directory.resolve("node" + i))
                    .withSettings(
                            List.of(
                                    "num_tokens: " + TOKENS,
                                    "initial_token: '" + tokens + "'",
                                    "hinted_handoff_enabled: false",
                                    "memtable_heap_space: 64MiB"),
                            OPTIONS)
                    .withHeapMiB(512)
                    .withPlace(host(i), 0, seedNode)));
        }
        nodes.forEach(node -> node.awaitRing(NODES));
        nodes.get(0)
                .execute(
                        "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
        for (String table : List.of("orders", "whole", "base", "first", "second", "third")) {
            nodes.get(0)
                    .execute("CREATE TABLE shop." + table
                            + " (p int, c int, s text static, v text, m map<text, text>, l set<int>, PRIMARY KEY (p, c))"
                            + " WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        }
        session = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(host(0), nodes.get(0).cqlPort()))
                .withLocalDatacenter("datacenter1")
                .build();
        token = Commands.tokenFile(directory);
        for (int i = 0; i < NODES; i++) {
            startAgent(i, agents.isEmpty() ? "0" : addresses.get(0).split(":")[1]);
        }
    }

    private void startAgent(int node, String port) throws IOException {
        CassandraPeer peer = nodes.get(node);
        Commands.Server agent = Commands.Server.startAgent(
                directory.resolve("agent" + node + ".log"),
                "--jmx",
                "127.0.0.1:" + peer.jmxPort(),
                "--cql",
                host(node) + ":" + peer.cqlPort(),
                "--listen",
                host(node) + ":" + port,
                "--directory",
                agentDirectory(node).toString(),
                "--token-file",
                token.toString());
        if (node < agents.size()) {
            agents.set(node, agent);
        } else {
            agents.add(agent);
            addresses.add(agent.address());
        }
    }

    private Path agentDirectory(int node) {
        return directory.resolve("agent" + node);
    }

    /** Executed at all nodes, for the table that lacks nothing and for the one whose files only some get. */
    private void write(String part, int age, String... statements) {
        for (String statement : statements) {
            for (String table : List.of("whole", part)) {
                session.execute(SimpleStatement.newInstance(statement
                                .replace("TABLE", "shop." + table)
                                .replaceAll("\\bAT\\b", "USING TIMESTAMP " + (before + age)))
                        .setConsistencyLevel(ConsistencyLevel.ALL));
            }
        }
    }

    /** Gives the files of a table to the one that is repaired, at some nodes. */
    private void give(String part, int... receivers) throws IOException {
        Path files = Files.createDirectories(directory.resolve("copy" + copies++));
        nodes.get(0).copySSTables("shop", part, files);
        for (int node : receivers) {
            nodes.get(node).importDirectory("shop", "orders", files);
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

    private List<String> arguments(String command, String... more) {
        List<String> all = new ArrayList<>(
                List.of("cluster", command, "--agent", addresses.get(0), "--token-file", token.toString()));
        all.addAll(List.of(more));
        return all;
    }

    private Commands.Result cluster(String command, String... more) {
        return Commands.run(arguments(command, more).toArray(String[]::new));
    }

    private void repairsWithOneCommand() throws IOException {
        List<String> expected = rows(0, "whole");
        assertThat(rows(2, "orders")).isNotEqualTo(expected);
        assertThat(preview()).doesNotContain(SYNCED);
        Commands.Result dry = cluster("repair", "shop.orders", "--dry-run", "--rows");
        assertThat(dry.exitCode()).as(dry.err()).isEqualTo(1);
        assertThat(dry.out()).contains("differs: key=[20] clustering=[0]", "the replicas differ (dry run");

        String state = directory.resolve("state").toString();
        Commands.Result refused =
                cluster("repair", "shop.orders", "--state", state, "--older-than-gc-grace", "refuse", "--no-fence");
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(1);
        assertThat(refused.out())
                .contains("shop.orders: refused: no node imports it", addresses.get(2) + ": imported 0 SSTables")
                .doesNotContain("covered until");
        assertThat(preview()).doesNotContain(SYNCED);
        Commands.Result repaired = cluster("repair", "shop.orders", "--state", state);

        assertThat(repaired.exitCode()).as(repaired.err() + repaired.out()).isZero();
        assertThat(repaired.out())
                .contains(addresses.get(2) + ": shop.orders: 1 row that the node lacks, or cells of it, is older")
                .contains(addresses.get(1) + ": imported 1 SSTable", addresses.get(2) + ": imported 1 SSTable")
                .contains("shop.orders: covered until ");
        assertThat(repaired.err()).as("the agents have looked").doesNotContain("materialized views");
        assertThat(preview()).contains(SYNCED);
        for (int i = 0; i < NODES; i++) {
            assertThat(rows(i, "orders")).as("node " + i).isEqualTo(expected);
        }
        Commands.Result again = cluster("repair", "shop.orders", "--dry-run", "--include-recent");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("the replicas are equal");
        assertThat(cluster("status").exitCode()).isZero();
        Commands.Result covered = Commands.run("repair", "--history", "--table", "shop.orders", "--state", state);
        assertThat(covered.exitCode()).as(covered.out()).isZero();
        for (int i = 0; i < NODES; i++) {
            assertThat(holdsNothing(i)).as("node " + i).isTrue();
        }
    }

    private String preview() {
        return nodes.get(0).nodetool("repair", "--preview", "--full", "shop", "orders");
    }

    private List<String> rows(int node, String table) throws IOException {
        Path files = Files.createDirectories(directory.resolve("copy" + copies++));
        nodes.get(node).copySSTables("shop", table, files);
        List<String> found = new ArrayList<>();
        try (SSTables sstables = SSTables.open(files);
                TableRows rows = sstables.rows(TokenRange.FULL, Instant.now())) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                TableRow at = row;
                found.add(COLUMNS.stream()
                        .map(column -> column + "=" + at.value(column))
                        .toList()
                        .toString());
            }
        }
        return found;
    }

    private boolean holdsNothing(int node) {
        try (LiveNode live = LiveNodeTest.open(nodes.get(node));
                Stream<Path> runs = Files.list(agentDirectory(node).resolve("runs"))) {
            LiveTable table = live.table("shop", "orders").orElseThrow();
            Path snapshots = live.dataDirectories()
                    .get(0)
                    .resolve("shop")
                    .resolve("orders-" + table.id().toString().replace("-", ""))
                    .resolve("snapshots");
            try (Stream<Path> left = Files.isDirectory(snapshots) ? Files.list(snapshots) : Stream.of()) {
                return !live.neverPurges(table)
                        && runs.findAny().isEmpty()
                        && left.noneMatch(tag -> tag.getFileName().toString().startsWith("anneal-"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000_000);
        }
    }

    private void leavesNothingWhenTheCommandIsKilled() throws Exception {
        write("third", 3, "INSERT INTO TABLE (p, c, v) VALUES (22, 0, 'later') AT");
        give("third", 0);
        Path log = directory.resolve("killed.log");
        Process command = Commands.start(
                log,
                arguments("repair", "shop.orders", "--rate", "1", "--lease", "5")
                        .toArray(String[]::new));
        await(() -> contains(log, "snapshots are taken") || !command.isAlive());
        assertThat(cluster("status").exitCode()).as(Files.readString(log)).isEqualTo(1);
        assertThat(holdsNothing(2)).isFalse();

        command.destroyForcibly().waitFor();

        for (int i = 0; i < NODES; i++) {
            int node = i;
            await(() -> holdsNothing(node));
        }
        assertThat(cluster("status").exitCode()).isZero();
        assertThat(preview()).doesNotContain(SYNCED);
    }

    private void goesOnWhenTheCommandWasKilled() throws Exception {
        String state = directory.resolve("killed").toString();
        Path log = directory.resolve("goes-on.log");
        Process command = Commands.start(
                log,
                arguments("repair", "shop.orders", "--rate", "3", "--parallel", "1", "--state", state)
                        .toArray(String[]::new));
        await(() -> hasPart(Path.of(state)) || !command.isAlive());
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
        assertThat(resumed.out()).contains(addresses.get(1) + ": imported ", "shop.orders: covered until ");
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
        NetConfig config =
                CommandNode.config(UUID.randomUUID(), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20));
        Ring ring = Ring.parse(nodes.get(0).nodetool("describering", "shop"));
        try (Node node = Node.open(config, 4, new SecureRandom())) {
            List<AgentPeer> peers = addresses.stream()
                    .map(address -> new AgentPeer(node.peers(), RepairRunner.address(address)))
                    .toList();
            try (ClusterHold hold =
                    ClusterHold.take(peers, host.newId(), List.of("shop.orders"), Duration.ofMinutes(1), host)) {
                hold.takeSnapshots();
                steps.run(
                        hold,
                        () -> Repair.of("shop.orders")
                                .ring(ring, List.of(host(0), host(1), host(2)))
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
            agents.get(2).kill();
            assertThat(agentDirectory(2).resolve("runs")).isNotEmptyDirectory();

            startAgent(2, addresses.get(2).split(":")[1]);

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
            nodes.get(0).truncate("shop", "orders");

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
            nodes.get(2).close();

            List<ClusterHold.Imported> imported = hold.importAll();

            assertThat(imported.get(2).failure()).isPresent();
            assertThat(imported.get(2).agent().name()).isEqualTo(addresses.get(2));
        });
        for (int i = 0; i < 2; i++) {
            assertThat(holdsNothing(i)).as("node " + i).isTrue();
        }
    }
}
