package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.node.StoreReplicas;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.RowBuilder;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.streaming.message.OpenSource;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables whose columns earlier releases numbered otherwise, from their SSTables and from themselves. */
@Timeout(60)
class FormerColumnOrderStreamTest {
    private static final String ID = "919f8a5e-3f6f-419c-8b05-92c7d80573ff";
    private static final String CREATE =
            "CREATE TABLE ks.t (k int PRIMARY KEY, \"é\" int, b int, \"ñ\" set<int>, l set<int>) WITH ID = " + ID;
    private static final TableSchema SCHEMA =
            CqlSchema.parse(CREATE, "test.cql").tables().iterator().next();
    private static final String OTHER = "CREATE TABLE ks.plain (k int PRIMARY KEY, b int) WITH ID = " + new UUID(1, 2);
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final String REASON =
            "one side runs an earlier Anneal, which numbers columns of this table in another";

    private static final int ROWS = 20;

    @TempDir
    private Path directory;

    private Store filled;
    private Store to;
    private final List<Node> nodes = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        filled = open("filled");
        Table table = filled.createTable(CREATE);
        for (int k = 0; k < ROWS; k++) {
            fill(table.row(), k).insert();
        }
        table.flush();
        filled.createTable(OTHER).row().key("k", 1).set("b", 2).insert();
        to = open("to");
        to.createTable(CREATE);
        to.createTable(OTHER);
    }

    private Store open(String name) throws IOException {
        return Store.open(
                directory.resolve(name),
                StoreConfig.defaults().withShardCount(1).withCompactionThreads(0));
    }

    @AfterEach
    void close() throws IOException {
        nodes.forEach(Node::close);
        filled.close();
        to.close();
    }

    private Node node(int encoding) {
        Node node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, encoding)),
                4,
                new SecureRandom());
        nodes.add(node);
        return node;
    }

    private static List<String> rows(Table table) throws IOException {
        List<String> texts = new ArrayList<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row : rows) {
                texts.add(row.values().toString());
            }
        }
        return texts;
    }

    /** A directory of Cassandra's with SSTables that an earlier release wrote. */
    private CassandraReplicas former() throws IOException {
        Path table = directory.resolve("data/ks/t-" + ID.replace("-", ""));
        Files.createDirectories(table);
        Files.writeString(table.resolve("schema.cql"), SchemaText.print(SCHEMA));
        try (SSTableWriter writer = SSTableWriter.builder(SCHEMA.inFormerOrder())
                .to(directory.resolve("written"))
                .timestampMicros(1_700_000_000_000_000L)
                .unsorted(1 << 20)) {
            for (int k = 0; k < ROWS; k++) {
                fill(writer.row(), k).insert();
            }
            for (Descriptor descriptor : writer.finish()) {
                for (Component component : Component.values()) {
                    if (descriptor.has(component)) {
                        Path file = descriptor.file(component);
                        Files.move(file, table.resolve(file.getFileName()));
                    }
                }
            }
        }
        return new CassandraReplicas(List.of(directory.resolve("data")), Optional.empty(), Optional.empty());
    }

    private static RowBuilder fill(RowBuilder row, int k) {
        return row.key("k", k)
                .set("é", 10 * k)
                .set("b", 10 * k + 1)
                .set("ñ", Set.of(k))
                .set("l", Set.of(-k));
    }

    private StreamSource serve(Node node, ReplicaSource replica) throws IOException {
        node.replicas().add("data", replica);
        StreamService.of(node, ENVIRONMENT).register(node.handlers());
        return StreamSource.at(node.peers(), node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }

    private static void assertInOrder(Table table) throws IOException {
        Path to = table.snapshot("check");
        try (SSTables sstables = SSTables.open(to)) {
            for (SSTableReader reader : sstables.readers()) {
                assertThat(reader.isInFormerColumnOrder()).isFalse();
            }
        }
    }

    @Test
    void shouldSendTheRowsOfAnSSTableThatAnEarlierReleaseWrote() throws IOException {
        StreamSource source = serve(node(CanonicalEncoder.LAYOUT_VERSION), former());

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source, TokenRange.FULL)
                .run(ENVIRONMENT);

        assertThat(report.sstables()).isZero();
        assertThat(report.rows()).isEqualTo(ROWS);
        assertThat(rows(to.table("ks.t"))).isEqualTo(rows(filled.table("ks.t"))).hasSize(ROWS);
        assertInOrder(to.table("ks.t"));
    }

    @Test
    void shouldSendSSTablesOfThisReleaseAsTheyAre() throws IOException {
        StreamSource source = serve(node(CanonicalEncoder.LAYOUT_VERSION), new StoreReplicas(filled));

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source, TokenRange.FULL)
                .run(ENVIRONMENT);

        assertThat(report.sstables()).isPositive();
        assertThat(rows(to.table("ks.t"))).isEqualTo(rows(filled.table("ks.t"))).hasSize(ROWS);
    }

    @Test
    void shouldTakeNothingFromAnEarlierReleaseOfWhichItWouldMixUpColumns() throws IOException {
        Node earlier = node(CanonicalEncoder.LAYOUT_VERSION_OLDEST);
        StreamSource source = serve(earlier, new StoreReplicas(filled));

        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(to))
                        .add("ks.t", source, TokenRange.FULL)
                        .run(ENVIRONMENT))
                .hasStackTraceContaining(REASON)
                .hasStackTraceContaining("table=ks.t, encodingVersion=1, needed=2");
        assertThat(rows(to.table("ks.t"))).isEmpty();
        StreamPlan.into(new StoreReplicas(to))
                .add("ks.plain", source, TokenRange.FULL)
                .run(ENVIRONMENT);
        assertThat(rows(to.table("ks.plain"))).hasSize(1);
    }

    @Test
    void shouldGiveNothingToAnEarlierReleaseWhichWouldMixUpColumns() throws IOException {
        Node served = node(CanonicalEncoder.LAYOUT_VERSION);
        served.replicas().add("data", new StoreReplicas(filled));
        StreamService.of(served, ENVIRONMENT).register(served.handlers());
        InetSocketAddress address = served.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Connection earlier =
                node(CanonicalEncoder.LAYOUT_VERSION_OLDEST).client().open(address);

        assertThatThrownBy(() -> RemoteSource.open(earlier, question("t", SCHEMA)))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining(REASON);
        RemoteSource.open(earlier, question("plain", filled.table("ks.plain").schema()))
                .close();
    }

    private static OpenSource question(String table, TableSchema schema) {
        return new OpenSource(
                Replicas.THE_ONLY_ONE,
                "ks",
                table,
                SchemaText.print(schema),
                Set.of(SSTableVersion.NB),
                Integer.MAX_VALUE,
                List.of(TokenRange.FULL));
    }
}
