package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.RangeTransfer;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippets on repair of {@code docs/embed.md}: they compile, they run, and the page quotes them as they are. */
@Timeout(60)
class RepairSnippetsTest {
    private static final String TEXT = "CREATE TABLE shop.orders (id int PRIMARY KEY, item text);";
    private static final String RING =
            "TokenRange(start_token:0, end_token:0, endpoints:[10.0.0.1, 10.0.0.2, 10.0.0.3])";

    @TempDir
    private Path directory;

    private Path replica(String name, int first, int count) throws IOException {
        TableSchema schema =
                CqlSchema.parse(TEXT, "orders.cql").table("shop", "orders").orElseThrow();
        Path data = directory.resolve(name);
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(data).timestampMicros(1).unsorted(1 << 20)) {
            for (int id = first; id < first + count; id++) {
                writer.row().key("id", id).set("item", "a spoon").insert();
            }
            writer.finish();
        }
        Files.writeString(data.resolve("shop").resolve("orders").resolve("schema.cql"), TEXT);
        return data;
    }

    private static List<RepairReport> repair(
            Path one, Path two, Path staged, InetSocketAddress server, Node node, String describering)
            throws IOException {
        // snippet: environment
        RepairEnvironment environment = new RepairEnvironment(HostEnvironment.system(), node.executor(), node.budget());
        // end
        // snippet: repair
        StagingArea staging = StagingArea.open(staged, "one", Clock.systemUTC());
        RepairMember a = RepairMember.here(new CassandraReplicas(List.of(one), Optional.empty(), Optional.of(staging)));
        RepairMember b = RepairMember.here(new CassandraReplicas(List.of(two), Optional.empty(), Optional.empty()));
        RepairMember c = RepairMember.at(node.peers(), server);
        RepairReport report = Repair.of("shop.orders")
                .between(a, b, c)
                .range(TokenRange.FULL)
                .dryRun(true)
                .run(environment);
        // end
        // snippet: ring
        Ring ring = Ring.parse(describering);
        RepairReport byRing = Repair.of("shop.orders")
                .between(a, b, c)
                .ring(ring, List.of("10.0.0.1", "10.0.0.2", "10.0.0.3"))
                .dryRun(true)
                .run(environment);
        // end
        staging.close();
        return List.of(report, byRing);
    }

    private static InetSocketAddress serve(Node node, Store store, InetSocketAddress wanted) throws IOException {
        // snippet: transfer
        RangeTransfer transfer = (task, progress) -> StreamPlan.of()
                .add(
                        task.table(),
                        task.source() instanceof RepairMember.There there
                                ? StreamSource.at(there.connector(), there.address(), there.name())
                                : StreamSource.here(((RepairMember.Here) task.source()).tables()),
                        task.target() instanceof RepairMember.There there
                                ? StreamTarget.at(there.connector(), there.address(), there.name())
                                : StreamTarget.here(((RepairMember.Here) task.target()).tables()),
                        task.ranges())
                .allow(task.waivers())
                .leave(task.leftAs())
                .bytesPerSecond(task.bytesPerSecond())
                .listener((rows, bytes, share) -> progress.came(share, bytes))
                .run(HostEnvironment.system());
        RepairEnvironment streaming =
                new RepairEnvironment(HostEnvironment.system(), node.executor(), node.budget()).withTransfer(transfer);
        // end
        assertThat(streaming.transfer()).contains(transfer);
        // snippet: serve
        node.replicas().add("orders", new StoreReplicas(store));
        RepairService.of(node, HostEnvironment.system()).register(node.handlers());
        RepairRunner.of(node, HostEnvironment.system()).register(node.handlers());
        InetSocketAddress server = node.listen(wanted);
        // end
        return server;
    }

    @Test
    void shouldFindWhatReplicasLack() throws IOException {
        Path one = replica("one", 0, 3);
        Path two = replica("two", 2, 4);
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        NetConfig config = NetConfig.of(
                new NodeIdentity(UUID.randomUUID(), "example", Map.of()),
                Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, CanonicalEncoder.LAYOUT_VERSION));
        try (Store store = Store.open(directory.resolve("store"));
                Node there = Node.open(config, 4, new SecureRandom());
                Node node = Node.open(config, 8, new SecureRandom())) {
            store.createTable(TEXT).importSSTables(replica("three", 5, 2).resolve("shop/orders"));

            List<RepairReport> reports =
                    repair(one, two, directory.resolve("staging"), serve(there, store, loopback), node, RING);

            for (RepairReport report : reports) {
                assertThat(report.rowsDiffering()).isEqualTo(7);
                assertThat(report.replicas())
                        .extracting(RepairReport.ReplicaReport::rowsWritten)
                        .containsExactly(4L, 3L, 5L);
            }
        }
    }

    @Test
    void shouldStandInThePage() throws IOException {
        Snippets.assertQuoted(RepairSnippetsTest.class, "embed.md", 5);
    }
}
