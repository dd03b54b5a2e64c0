package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerException;
import io.anneal.node.Replicas;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node with very little memory repairs all the same, its own replicas among them, or says at once that it cannot. */
@Timeout(60)
class TinyBudgetTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-1333-8444-555555555555";
    private static final int ROWS = 2_000;

    @TempDir
    private Path directory;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void stop() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private Store store(int number) throws IOException {
        Store store = Store.open(directory.resolve("store" + number));
        opened.push(store);
        Table table = store.createTable(SCHEMA);
        for (int k = number; k < ROWS; k += 3) {
            table.row().key("k", k).set("v", "x".repeat(200)).insert();
        }
        return store;
    }

    private RepairReport repair(long budgetBytes) throws IOException {
        Replicas replicas = new Replicas();
        for (int i = 0; i < 3; i++) {
            replicas.add("n" + i, new StoreReplicas(store(i)));
        }
        Nodes nodes = new Nodes(
                (handlers, own) -> new RepairService(replicas, own.executor(), own.budget()).register(handlers),
                budgetBytes);
        opened.push(nodes);
        RepairMember[] members = new RepairMember[3];
        members[0] = RepairMember.here("n0", replicas.get("n0"));
        for (int i = 1; i < 3; i++) {
            members[i] = RepairMember.at(nodes.client().keepAll(5_000), RepairRunner.address(nodes.address()), "n" + i);
        }
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .patience(Duration.ZERO)
                .run(new RepairEnvironment(HostEnvironment.system(), nodes.executor(), nodes.budget()));
    }

    @Test
    void shouldRepairThreeReplicasOfANodeOfOneMebibyte() throws IOException {
        assertThat(repair(1 << 20).rowsDiffering()).isEqualTo(ROWS);
    }

    @Test
    void shouldSayAtOnceWhatASessionWouldNeed() {
        assertThatThrownBy(() -> repair(256 << 10))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        refused -> assertThat(refused.code()).isEqualTo(RepairCode.TOO_LARGE))
                .hasMessageContaining("neededBytes=");
    }
}
