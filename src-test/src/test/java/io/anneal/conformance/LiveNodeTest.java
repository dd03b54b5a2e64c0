package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveNodeConfig;
import io.anneal.agent.LiveNodeException;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.environment.HostEnvironment;
import io.anneal.node.Ring;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a real node says of itself by JMX and CQL, held against what it says another way. */
@WithCassandra
final class LiveNodeTest {
    private static final String KEYSPACE = "live_node";

    private CassandraPeer peer;

    static LiveNode open(CassandraPeer peer) throws IOException {
        return LiveNode.open(config(peer), HostEnvironment.system());
    }

    static LiveNodeConfig config(CassandraPeer peer) {
        return LiveNodeConfig.of(
                new InetSocketAddress("127.0.0.1", peer.jmxPort()),
                new InetSocketAddress(peer.config().address(), peer.cqlPort()));
    }

    @BeforeEach
    void createTable(CassandraPeer given) {
        peer = given;
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE " + KEYSPACE + ".t (k int PRIMARY KEY, v text) WITH gc_grace_seconds = 1234",
                "INSERT INTO " + KEYSPACE + ".t (k, v) VALUES (1, 'one')"));
    }

    @Test
    void shouldTellWhoItIs() throws IOException {
        try (LiveNode node = open(peer)) {
            assertThat(node.hostId())
                    .hasToString(peer.execute("SELECT host_id FROM system.local")
                            .column("host_id")
                            .get(0));
            assertThat(node.version())
                    .isEqualTo(peer.execute("SELECT release_version FROM system.local")
                            .column("release_version")
                            .get(0));
            assertThat(node.dataCentre())
                    .isEqualTo(peer.execute("SELECT data_center FROM system.local")
                            .column("data_center")
                            .get(0));
            assertThat(node.startedAt()).isBefore(Instant.now());
            assertThat(node.endpoint()).isEqualTo(peer.config().address() + ":" + peer.storagePort());
            assertThat(node.dataCentre(peer.config().address())).isEqualTo(node.dataCentre());
            assertThat(node.dataDirectories()).isNotEmpty().allMatch(Files::isDirectory);
            assertThat(node.schemaVersions())
                    .containsExactly(peer.execute("SELECT schema_version FROM system.local")
                            .column("schema_version")
                            .get(0));
        }
    }

    @Test
    void shouldTellItsRingAsNodetoolDescribesIt() throws IOException {
        try (LiveNode node = open(peer)) {
            assertThat(node.ring(KEYSPACE)).isEqualTo(Ring.parse(peer.nodetool("describering", KEYSPACE)));
            assertThat(node.isPending(KEYSPACE)).isFalse();
        }
    }

    @Test
    void shouldTellItsTablesAndSnapshotThem() throws IOException {
        try (LiveNode node = open(peer)) {
            LiveTable table = node.table(KEYSPACE, "t").orElseThrow();
            assertThat(table.id())
                    .hasToString(
                            peer.execute("SELECT id FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE + "'")
                                    .column("id")
                                    .get(0));
            assertThat(table.gcGraceSeconds()).isEqualTo(1234);
            assertThat(table.objections()).isEmpty();
            assertThat(node.table(KEYSPACE, "none")).isEmpty();
            assertThat(node.tables(KEYSPACE)).containsExactly("t");
            assertThat(node.tables("none")).isEmpty();

            node.takeSnapshot("tag", List.of(table), Duration.ofDays(1));
            assertThat(node.snapshotDirectories("tag", table))
                    .singleElement()
                    .satisfies(snapshot -> assertThat(snapshot)
                            .isDirectoryContaining(file -> file.toString().endsWith("-Data.db"))
                            .isDirectoryContaining(file -> file.endsWith("schema.cql"))
                            .satisfies(directory -> assertThat(directory.resolve("manifest.json"))
                                    .content()
                                    .as("it ends by itself")
                                    .containsPattern("\"expires_at\"\\s*:\\s*[^n\\s]")));
            node.clearSnapshot("tag", Set.of(KEYSPACE));
            assertThat(node.snapshotDirectories("tag", table)).isEmpty();
        }
    }

    /** Of 300 KB, where a segment of CQL has 128. */
    @Test
    void shouldTellATableWhoseAnswerIsLongerThanASegment() throws IOException {
        peer.execute("ALTER TABLE " + KEYSPACE + ".t WITH comment = '" + "0123456789".repeat(30_000) + "'");
        try (LiveNode node = open(peer)) {
            assertThat(node.table(KEYSPACE, "t").orElseThrow().gcGraceSeconds()).isEqualTo(1234);
            assertThat(node.tables(KEYSPACE)).as("the connection goes on").containsExactly("t");
        }
    }

    @Test
    void shouldFindItsTablesWhereItSaysThatClientsFindIt() throws IOException {
        InetSocketAddress jmx = new InetSocketAddress("127.0.0.1", peer.jmxPort());
        try (LiveNode node = LiveNode.open(LiveNodeConfig.of(jmx), HostEnvironment.system())) {
            assertThat(node.tables(KEYSPACE)).containsExactly("t");
        }
        // It speaks CQL without TLS.
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> tables(LiveNodeConfig.of(jmx).withTls(false, true)))
                .withMessageContaining("--cql")
                .withMessageContaining("address=" + peer.config().address() + ":" + peer.cqlPort());
        try (JmxGate gate = JmxGate.open(peer, "getRangeToNativeaddressWithPortMap"::equals)) {
            LiveNodeConfig refused = LiveNodeConfig.of(gate.config().jmx());
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> tables(refused))
                    .withMessageContaining("--cql")
                    .withMessageContaining("Access Denied");
        }
    }

    private static List<String> tables(LiveNodeConfig config) throws IOException {
        try (LiveNode node = LiveNode.open(config, HostEnvironment.system())) {
            return node.tables(KEYSPACE);
        }
    }

    @Test
    void shouldNameTheAddressWhereNobodyAnswers() {
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> LiveNode.open(
                        LiveNodeConfig.of(
                                new InetSocketAddress("127.0.0.1", 1),
                                new InetSocketAddress("127.0.0.1", peer.cqlPort())),
                        HostEnvironment.system()))
                .withMessageContaining("address=127.0.0.1:1");
    }
}
