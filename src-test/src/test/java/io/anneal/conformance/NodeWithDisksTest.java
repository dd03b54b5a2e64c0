package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveNodeException;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent beside a real node with three data directories, virtual nodes, and settings of its own, which is started once, and once again. */
final class NodeWithDisksTest {
    private static final int DISKS = 3;
    private static final int KEYS = 600;
    private static final String TOKENS = "-8000000000000000000,-5500000000000000000,-3000000000000000000,"
            + "-1000000000000000000,1500000000000000000,3500000000000000000,6000000000000000000,8500000000000000000";
    private static final String SCHEMA = "CREATE TABLE disks.t (k int, c int, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555"
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};";
    private static final String EAGER = "unsafe_aggressive_sstable_expiration";

    @TempDir
    private static Path directory;

    private static CassandraPeer peer;

    @BeforeAll
    static void start() {
        String disks = IntStream.range(0, DISKS)
                .mapToObj(disk -> "'" + directory.resolve("disk" + disk) + "'")
                .collect(Collectors.joining(", "));
        CassandraPeerConfig config = Peers.shortLived(
                directory.resolve("node"),
                "data_file_directories: [ " + disks + " ]",
                "num_tokens: 8",
                "initial_token: '" + TOKENS + "'",
                "cdc_enabled: true",
                "materialized_views_enabled: true",
                "materialized_views_on_repair_enabled: false");
        List<String> options = new ArrayList<>(config.jvmOptions());
        options.add("-Dcassandra.unsafesystem=false");
        options.add("-Dcassandra.allow_unsafe_aggressive_sstable_expiration=true");
        peer = CassandraPeer.start(
                config.withSettings(config.yamlLines(), options).withHeapMiB(512));
        peer.nodetool("setlogginglevel", "org.apache.cassandra.db.DiskBoundaryManager", "DEBUG");
        for (String keyspace : List.of("disks", "named")) {
            peer.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        }
        peer.execute(SCHEMA);
        peer.execute("INSERT INTO disks.t (k, c, v) VALUES (0, 9, 'own')");
    }

    @AfterAll
    static void stop() {
        peer.close();
    }

    private static LiveTable table(LiveNode node, String keyspace, String name) throws LiveNodeException {
        return node.table(keyspace, name).orElseThrow();
    }

    /** What a replica has that is no node here. */
    private static Path other() throws IOException {
        Path written = directory.resolve("written");
        try (SSTableWriter writer = SSTableWriter.builder(
                        CqlSchema.parse(SCHEMA, "test").table("disks", "t").orElseThrow())
                .to(written)
                .timestampMicros(System.currentTimeMillis() * 1_000 - 3_600_000_000L)
                .unsorted(64 << 20)) {
            for (int k = 0; k < KEYS; k++) {
                writer.row().key("k", k).clustering("c", 0).set("v", "v" + k).insert();
            }
            writer.finish();
        }
        Path data = directory.resolve("other/disks/t-11111111222233334444555555555555");
        Files.createDirectories(data.getParent());
        Files.move(written.resolve("disks/t"), data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA);
        return directory.resolve("other");
    }

    @Test
    void shouldStageAnSSTableForEachDisk() throws IOException {
        List<Long> boundaries;
        try (LiveNode node = LiveNodeTest.open(peer)) {
            boundaries = node.diskBoundaries("disks");
        }
        List<Long> told = new ArrayList<>(DisksOfCassandraTest.boundaries(peer.systemLog()));
        assertThat(told).endsWith(Long.MAX_VALUE);
        assertThat(boundaries).isEqualTo(told.subList(0, DISKS - 1));
        Path beside = Files.createTempDirectory(directory, "beside");
        try (AgentBeside agent = new AgentBeside(peer, beside);
                ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "disks.t")) {
            hold.takeSnapshots();
            agent.repairInSessions(4, "disks.t", other());
            assertThat(staged(beside)).as("at least one of each session").hasSizeGreaterThan(DISKS);
            hold.look();

            ClusterHold.Imported imported = hold.importAll().get(0);

            assertThat(imported.failure()).isEmpty();
            assertThat(imported.sstables()).isEqualTo(DISKS);
        }
        assertThat(peer.execute("SELECT k FROM disks.t").column("k")).hasSize(KEYS + 1);
        for (Path sstable : peer.sstables("disks", "t")) {
            try (SSTableReader reader = Content.open(sstable)) {
                int disk = disk(reader.keyRange().orElseThrow().first(), boundaries);
                assertThat(sstable).startsWith(directory.resolve("disk" + disk));
                assertThat(disk(reader.keyRange().orElseThrow().last(), boundaries))
                        .as("directory of the last key of %s", sstable)
                        .isEqualTo(disk);
            }
        }
    }

    private static List<Path> staged(Path beside) throws IOException {
        try (Stream<Path> files = Files.walk(beside.resolve("agent").resolve("runs"))) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).toList();
        }
    }

    private static int disk(byte[] key, List<Long> boundaries) {
        return (int) boundaries.stream()
                .filter(last -> DecoratedKey.of(key).token() > last)
                .count();
    }

    @Test
    void shouldRefuseByNameAndWhereTheNodesOwnRepairGoesByThemDoAsThat() throws Exception {
        peer.executeAll(List.of(
                "CREATE TABLE named.windows (k int PRIMARY KEY) WITH compaction ="
                        + " {'class': 'TimeWindowCompactionStrategy', '" + EAGER + "': 'true'}",
                "CREATE TABLE named.captured (k int PRIMARY KEY, v int) WITH cdc = true",
                "CREATE TABLE named.base (k int PRIMARY KEY, v int)",
                "CREATE MATERIALIZED VIEW named.by_value AS SELECT * FROM named.base WHERE k IS NOT NULL AND v IS NOT NULL"
                        + " PRIMARY KEY (v, k)"));
        try (LiveNode node = LiveNodeTest.open(peer)) {
            assertThat(table(node, "named", "windows").objections())
                    .singleElement()
                    .asString()
                    .contains(EAGER);
            assertThat(table(node, "named", "captured").objections())
                    .singleElement()
                    .asString()
                    .contains("it has CDC");
            assertThat(table(node, "named", "base").objections())
                    .as("this node's repair does not feed views")
                    .isEmpty();

            captureOnRepair(false);
            assertThat(table(node, "named", "captured").objections()).isEmpty();
        }
        Path beside = Files.createTempDirectory(directory, "beside");
        try (AgentBeside agent = new AgentBeside(peer, beside);
                ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "named.captured")) {
            hold.takeSnapshots();
            peer.execute("INSERT INTO named.captured (k, v) VALUES (1, 1)");
            agent.repair("named.captured", moveOut("named", "captured"));
            assertThat(hold.importAll().get(0).failure()).isEmpty();
        } finally {
            captureOnRepair(true);
        }
    }

    /** Snapshots of several disks lie in several directories; with one partition there is one. */
    private static Path moveOut(String keyspace, String name) throws IOException {
        Path copy = Files.createDirectories(directory.resolve("copy-" + name));
        peer.flush(keyspace, name);
        for (Path data : peer.sstables(keyspace, name)) {
            String prefix = data.getFileName().toString().replace("Data.db", "");
            try (Stream<Path> files = Files.list(data.getParent())) {
                for (Path file : files.filter(
                                file -> file.getFileName().toString().startsWith(prefix))
                        .toList()) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
        }
        Files.writeString(copy.resolve("schema.cql"), peer.describe(keyspace, name));
        return copy;
    }

    private static void captureOnRepair(boolean on) throws Exception {
        try (JMXConnector connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + peer.jmxPort() + "/jmxrmi"))) {
            connector
                    .getMBeanServerConnection()
                    .setAttribute(
                            new ObjectName("org.apache.cassandra.db:type=Commitlog"),
                            new Attribute("CDCOnRepairEnabled", on));
        }
    }

    @Test
    void shouldRefuseWhenRangesHaveOtherOwners() throws IOException {
        peer.executeAll(List.of(
                "CREATE TABLE named.moved (k int PRIMARY KEY, v int)", "INSERT INTO named.moved (k, v) VALUES (1, 1)"));
        Path beside = Files.createTempDirectory(directory, "beside");
        Path other = moveOut("named", "moved");
        peer.truncate("named", "moved");
        try (AgentBeside agent = new AgentBeside(peer, beside);
                ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "named.moved")) {
            hold.takeSnapshots();
            agent.repair("named.moved", other);
            peer.own(List.of(0L), List.of(1L << 62));
            try {
                assertThat(hold.importAll().get(0).failure().orElseThrow())
                        .hasMessageContaining("nothing is imported")
                        .hasMessageContaining("ranges have other owners");
            } finally {
                peer.own(tokens(), List.of());
            }
        }
    }

    /** A coordinator that knows another ring would have it staged. */
    @Test
    void shouldImportNothingThatTheNodeDoesNotOwn() throws IOException {
        peer.execute("CREATE TABLE named.foreign (k int PRIMARY KEY, v int)");
        for (int k = 0; k < 20; k++) {
            peer.execute("INSERT INTO named.foreign (k, v) VALUES (" + k + ", 1)");
        }
        Path beside = Files.createTempDirectory(directory, "beside");
        Path other = moveOut("named", "foreign");
        peer.truncate("named", "foreign");
        peer.own(List.of(0L), List.of(1L << 62));
        try (AgentBeside agent = new AgentBeside(peer, beside);
                ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "named.foreign")) {
            hold.takeSnapshots();
            agent.repair("named.foreign", other);

            assertThat(hold.importAll().get(0).failure().orElseThrow())
                    .hasMessageContaining("Cassandra did not import all SSTables");
        } finally {
            peer.own(tokens(), List.of());
        }
        assertThat(peer.execute("SELECT k FROM named.foreign").column("k")).isEmpty();
    }

    @Test
    void shouldRefuseWhileRangesAreAboutToHaveOtherOwners() throws IOException {
        peer.executeAll(List.of(
                "CREATE TABLE named.pending (k int PRIMARY KEY, v int)",
                "INSERT INTO named.pending (k, v) VALUES (1, 1)"));
        Path beside = Files.createTempDirectory(directory, "beside");
        Path other = moveOut("named", "pending");
        peer.truncate("named", "pending");
        try (AgentBeside agent = new AgentBeside(peer, beside)) {
            try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "named.pending")) {
                hold.takeSnapshots();
                agent.repair("named.pending", other);
                peer.expect(List.of(1L << 62));

                assertThat(hold.importAll().get(0).failure().orElseThrow())
                        .hasMessageContaining("nothing is imported")
                        .hasMessageContaining("ranges are about to have other owners, keyspaces=[named]");
            }
            assertThatThrownBy(() -> agent.hold(GuardedTables.Fence.HELD, "named.pending"))
                    .hasMessageContaining("nothing may be imported now")
                    .hasMessageContaining("ranges are about to have other owners");
        } finally {
            peer.expect(List.of());
        }
        try (LiveNode node = LiveNodeTest.open(peer)) {
            assertThat(node.isPending("named")).isFalse();
            assertThat(node.neverPurges(table(node, "named", "pending"))).isFalse();
        }
    }

    private static List<Long> tokens() {
        return Stream.of(TOKENS.split(",")).map(Long::parseLong).toList();
    }

    @Test
    void shouldSayThatTheNodeWasRestarted() throws IOException {
        peer.executeAll(List.of(
                "CREATE TABLE named.restarted (k int PRIMARY KEY, v int)",
                "INSERT INTO named.restarted (k, v) VALUES (1, 1)"));
        Path beside = Files.createTempDirectory(directory, "beside");
        Path other = moveOut("named", "restarted");
        peer.truncate("named", "restarted");
        try (AgentBeside agent = new AgentBeside(peer, beside);
                ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, "named.restarted")) {
            hold.takeSnapshots();
            agent.repair("named.restarted", other);

            peer.close();
            peer = peer.startAgain();

            assertThat(hold.importAll().get(0).failure().orElseThrow())
                    .hasMessageContaining("nothing is imported")
                    .hasMessageContaining("node was restarted");
        }
        try (LiveNode node = LiveNodeTest.open(peer)) {
            assertThat(node.neverPurges(table(node, "named", "restarted"))).isFalse();
        }
        assertThat(peer.execute("SELECT k FROM named.restarted").column("k")).isEmpty();
    }
}
