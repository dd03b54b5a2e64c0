package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replicas;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica that is compared with itself is equal, and says nothing of the others: its deletions must not count as repaired. */
@Timeout(60)
class OneReplicaTwiceTest {
    private static final String TABLE = "ks.t";

    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-1333-8444-555555555555";

    @TempDir
    private Path directory;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Nodes own;

    @BeforeEach
    void start() throws IOException {
        own = serve(new Replicas());
    }

    @AfterEach
    void stop() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private Store store(String name, String schema) throws IOException {
        Store store = Store.open(directory.resolve(name));
        opened.push(store);
        store.createTable(schema).row().key("k", 1).set("v", name).insert();
        return store;
    }

    private Nodes serve(Replicas replicas) throws IOException {
        Nodes nodes = Nodes.repairing(replicas, HostEnvironment.system());
        opened.push(nodes);
        return nodes;
    }

    private RepairMember at(Nodes node, String name) {
        return RepairMember.at(own.client().keepAll(5_000), RepairRunner.address(node.address()), name);
    }

    private static RepairMember here(String name, Store store) {
        return RepairMember.here(name, new StoreReplicas(store));
    }

    private RepairReport repair(boolean dryRun, RepairMember... members) throws IOException {
        return Repair.of(TABLE)
                .between(members)
                .range(TokenRange.FULL)
                .allReplicas(true)
                .dryRun(dryRun)
                .patience(Duration.ZERO)
                .run(own.environment(HostEnvironment.system()));
    }

    private static void assertRefused(ThrowingCallable repair) {
        assertThatThrownBy(repair)
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("one replica is given as two");
    }

    @Test
    void shouldRefuseOneStoreGivenTwiceInThisProcess() throws IOException {
        Store a = store("a", SCHEMA);
        Store b = store("b", SCHEMA);

        assertRefused(() -> repair(false, here("a", a), here("b", a)));
        assertRefused(() -> repair(true, here("a", a), here("b", a)));
        assertRefused(() -> repair(false, here("a", a), here("b", b), here("c", b)));
    }

    /** A report would tell of both as one. */
    @Test
    void shouldRefuseTwoReplicasOfOneName() throws IOException {
        Store a = store("a", SCHEMA);
        Store b = store("b", SCHEMA);

        assertThatThrownBy(() -> repair(true, here("one", a), here("one", b)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two replicas of this process have one name, name=one");
    }

    @Test
    void shouldRefuseTheStoreOfThisProcessThatANodeServes() throws IOException {
        Store a = store("a", SCHEMA);
        Nodes node = serve(new Replicas().add("one", new StoreReplicas(a)));

        assertRefused(() -> repair(false, here("a", a), at(node, "one")));
    }

    @Test
    void shouldRefuseOneStoreUnderTwoNamesOfANode() throws IOException {
        Store a = store("a", SCHEMA);
        Nodes node = serve(new Replicas().add("one", new StoreReplicas(a)).add("alias", new StoreReplicas(a)));

        assertRefused(() -> repair(false, at(node, "one"), at(node, "alias")));
    }

    @Test
    void shouldRefuseOneDirectoryThatTwoServersServe() throws IOException {
        Path snapshot = store("a", SCHEMA).table(TABLE).snapshot("s");
        Path link = Files.createSymbolicLink(directory.resolve("link"), snapshot);
        Nodes first = serve(new Replicas().add("first", snapshot(snapshot)));
        Nodes second = serve(new Replicas().add("second", snapshot(link)));

        assertRefused(() -> repair(true, at(first, "first"), at(second, "second")));
    }

    private static CassandraReplicas snapshot(Path directory) {
        return new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty());
    }

    @Test
    void shouldRepairTwoStoresOfOneNode() throws IOException {
        Nodes node = serve(new Replicas()
                .add("one", new StoreReplicas(store("a", SCHEMA)))
                .add("two", new StoreReplicas(store("b", SCHEMA))));

        assertThat(repair(false, at(node, "one"), at(node, "two")).rowsDiffering())
                .isPositive();
    }

    @Test
    void shouldSayHowStoresGetOneTableIdWhenTheirsDiffer() throws IOException {
        String withoutId = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";
        Store a = store("a", withoutId);
        Store b = store("b", withoutId);

        assertThatThrownBy(() -> repair(false, here("a", a), here("b", b)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("table ids differ")
                .hasMessageContaining("WITH id =");
    }

    @Test
    void shouldNameTheTableThatIsGivenTwice() {
        assertThatThrownBy(() -> Repair.of(TABLE, "ks.u", TABLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("table is given twice, table=ks.t");
    }
}
