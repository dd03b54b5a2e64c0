package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.node.Replicas;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.message.OpenSession;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node of an earlier release numbers columns in another order, where some of their names start with a non-ASCII character. */
@Timeout(60)
class EarlierPeerTest {
    private static final HostEnvironment HOST = HostEnvironment.system();
    private static final String REASON =
            "one side runs an earlier Anneal, which numbers columns of this table in another";

    @TempDir
    private Path directory;

    private final List<Store> stores = new ArrayList<>();
    private final List<Nodes> nodes = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        for (int i = 0; i < 2; i++) {
            Store store = Store.open(
                    directory.resolve("store" + i),
                    StoreConfig.defaults().withShardCount(1).withCompactionThreads(0));
            stores.add(store);
            Table names = store.createTable(
                    "CREATE TABLE ks.t (k int PRIMARY KEY, \"é\" int, b int) WITH ID = " + new UUID(1, 1));
            names.row().key("k", i).set("é", 10 * i + 1).set("b", 10 * i + 2).insert();
            Table plain = store.createTable(
                    "CREATE TABLE ks.plain (k int PRIMARY KEY, a int, b int) WITH ID = " + new UUID(1, 2));
            plain.row().key("k", i).set("a", 10 * i + 1).set("b", 10 * i + 2).insert();
        }
    }

    @AfterEach
    void close() throws IOException {
        nodes.forEach(Nodes::close);
        for (Store store : stores) {
            store.close();
        }
    }

    private void serve(int... encodings) throws IOException {
        for (int i = 0; i < encodings.length; i++) {
            nodes.add(
                    Nodes.repairing(new Replicas().add("n" + i, new StoreReplicas(stores.get(i))), HOST, encodings[i]));
        }
    }

    /** By a master that is one of the nodes, or in this process. */
    private RepairReport repair(String table, RepairMember master, RepairMember follower) throws IOException {
        return Repair.of(table)
                .between(master, follower)
                .range(TokenRange.FULL)
                .patience(Duration.ZERO)
                .run(nodes.get(0).environment(HOST));
    }

    private RepairMember at(int node) {
        return RepairMember.at(
                nodes.get(0).client().keepAll(5_000),
                RepairRunner.address(nodes.get(node).address()),
                "n" + node);
    }

    private void assertRepaired(String table, String first) throws IOException {
        for (Store store : stores) {
            for (int k = 0; k < 2; k++) {
                Map<String, Object> row =
                        store.table(table).row(Map.of("k", k)).orElseThrow().values();
                assertThat(row).containsEntry(first, 10 * k + 1).containsEntry("b", 10 * k + 2);
            }
        }
    }

    private void assertUntouched() throws IOException {
        for (int i = 0; i < 2; i++) {
            assertThat(stores.get(i).table("ks.t").row(Map.of("k", 1 - i))).isEmpty();
        }
    }

    @Test
    void shouldRepairWithAPeerOfThisRelease() throws IOException {
        serve(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION);

        repair("ks.t", RepairMember.here(new StoreReplicas(stores.get(0))), at(1));

        assertRepaired("ks.t", "é");
    }

    @Test
    void shouldNotRepairSuchATableWithAnEarlierFollower() throws IOException {
        serve(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION_OLDEST);
        RepairMember here = RepairMember.here(new StoreReplicas(stores.get(0)));

        assertThatThrownBy(() -> repair("ks.t", here, at(1)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining(REASON)
                .hasMessageContaining("table=ks.t, encodingVersion=1, needed=2");
        assertUntouched();

        repair("ks.plain", here, at(1));
        assertRepaired("ks.plain", "a");
    }

    @Test
    void shouldNotBeRepairedByAnEarlierMasterWithSuchATable() throws IOException {
        serve(CanonicalEncoder.LAYOUT_VERSION_OLDEST, CanonicalEncoder.LAYOUT_VERSION);
        TableSchema schema = stores.get(0).table("ks.t").schema();
        OpenSession session = new OpenSession(
                new UUID(0, 1),
                "ks",
                "t",
                SchemaText.print(schema),
                List.of(TokenRange.FULL),
                100,
                1,
                Sessions.BUFFER_BYTES,
                2,
                true,
                Optional.empty(),
                1);

        // An earlier master has no check of its own, as a participant alone.
        try (Participant follower = new RemoteParticipant(
                nodes.get(0).client().open(RepairRunner.address(nodes.get(1).address())), "n1", 0)) {
            assertThatThrownBy(() -> Waiting.result(follower.open(session)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining(REASON);
        }
        assertUntouched();
    }
}
