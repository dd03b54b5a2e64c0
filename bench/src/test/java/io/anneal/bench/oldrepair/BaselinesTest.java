package io.anneal.bench.oldrepair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class BaselinesTest {
    private static final int PARTITIONS = 450;
    private static final long SEED = Long.getLong("anneal.seed", 7);
    private static final SharedToken TOKEN = SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8));

    @TempDir
    private Path directory;

    /** Three replicas of a table, each in a store and a node of its own. */
    private final class Replicas implements Closeable {
        final List<Store> stores = new ArrayList<>();
        final List<Node> nodes = new ArrayList<>();
        final List<Table> tables = new ArrayList<>();
        final List<InetSocketAddress> followers = new ArrayList<>();
        List<Baseline> masters;

        Replicas() throws IOException {
            for (int i = 0; i < 3; i++) {
                Store store = Store.open(
                        directory.resolve("replica-" + i),
                        StoreConfig.defaults().withSyncMode(SyncMode.PERIODIC));
                stores.add(store);
                tables.add(store.createTable(
                        "CREATE TABLE bench.old (pk int, ck int, s text static, v text, PRIMARY KEY (pk, ck))"));
                Node node = Node.open(
                        NetConfig.of(
                                new NodeIdentity(new UUID(0, i), "", Map.of()),
                                Optional.of(TOKEN),
                                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                        2,
                        new Random(i));
                nodes.add(node);
                node.replicas().add("replica", new StoreReplicas(store));
                List<Baseline> baselines = Baselines.of(node);
                InetSocketAddress address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                if (i == 0) {
                    masters = baselines;
                } else {
                    followers.add(address);
                }
            }
        }

        BaselineReport repair(String name) throws IOException {
            Baseline baseline = masters.stream()
                    .filter(known -> known.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            return baseline.repair("bench.old", followers);
        }

        void insert(int replica, int pk, int ck) throws IOException {
            tables.get(replica)
                    .row()
                    .key("pk", pk)
                    .clustering("ck", ck)
                    .set("v", "value " + pk + ", " + ck)
                    .timestampMicros(1_000_000L + pk)
                    .insert();
        }

        void insertInto(List<Integer> replicas, int pk) throws IOException {
            for (int replica : replicas) {
                insert(replica, pk, 1);
                insert(replica, pk, 2);
            }
        }

        byte[] checksum(TokenRange.Linear range, int replica) throws IOException {
            try (FragmentCursor cursor = tables.get(replica).scan(range)) {
                return checksum(cursor);
            }
        }

        private byte[] checksum(FragmentCursor cursor) throws IOException {
            return new ChecksumKind.RangeChecksums(tables.get(0).schema(), ChecksumKind.SHA256).of(cursor);
        }

        /** Of all that the replicas have together. */
        byte[] expected(TokenRange.Linear range) throws IOException {
            List<FragmentCursor> cursors = new ArrayList<>();
            for (Table table : tables) {
                cursors.add(table.scan(range));
            }
            try (MergeCursor merged = MergeCursor.of(tables.get(0).schema(), cursors)) {
                return checksum(merged);
            }
        }

        void requireEqual(byte[] expected) throws IOException {
            for (int replica = 0; replica < tables.size(); replica++) {
                assertThat(checksum(TokenRange.Linear.ALL, replica))
                        .as("replica=%d, seed=%d", replica, SEED)
                        .isEqualTo(expected);
            }
        }

        @Override
        public void close() throws IOException {
            nodes.forEach(Node::close);
            for (Store store : stores) {
                store.close();
            }
        }
    }

    private static Stream<Arguments> cases() {
        return Stream.of(
                Arguments.of("baseline", 0.0),
                Arguments.of("baseline", 0.99),
                Arguments.of("baseline-fast-hash", 0.5),
                Arguments.of("baseline-merkle", 0.99));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldGiveAllReplicasTheRowsAndDeletionsThatAnyHas(String baseline, double sharedPart) throws IOException {
        Random random = new Random(SEED);
        try (Replicas replicas = new Replicas()) {
            for (int pk = 0; pk < PARTITIONS; pk++) {
                boolean isShared = random.nextDouble() < sharedPart;
                replicas.insertInto(isShared ? List.of(0, 1, 2) : List.of(random.nextInt(3)), pk);
            }
            deleteEverywhere(replicas);
            byte[] expected = replicas.expected(TokenRange.Linear.ALL);

            BaselineReport report = replicas.repair(baseline);

            replicas.requireEqual(expected);
            assertThat(report.differing()).isPositive();
            assertThat(report.rowsSent()).isPositive();
            BaselineReport again = replicas.repair(baseline);
            assertThat(again).isEqualTo(new BaselineReport(again.ranges(), 0, 0));
            assertThat(again.ranges()).isBetween(4L, 600L);
        }
    }

    /** Of each kind one, on one replica, and two ranges that overlap on two. */
    private static void deleteEverywhere(Replicas replicas) throws IOException {
        long micros = 10_000_000;
        replicas.tables.get(0).row().key("pk", 3).timestampMicros(micros).deletePartition();
        replicas.tables
                .get(1)
                .row()
                .key("pk", 4)
                .clustering("ck", 1)
                .timestampMicros(micros)
                .deleteRow();
        replicas.tables
                .get(2)
                .rangeDeletion()
                .key("pk", 5)
                .from("ck", 2, true)
                .timestampMicros(micros)
                .delete();
        replicas.tables
                .get(0)
                .rangeDeletion()
                .key("pk", 5)
                .from("ck", 0, true)
                .to("ck", 3, false)
                .timestampMicros(micros + 1)
                .delete();
        replicas.tables
                .get(1)
                .row()
                .key("pk", 6)
                .set("s", "static")
                .timestampMicros(micros)
                .update();
    }
}
