package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.message.Phase;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.ItemCodec;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A follower that answers something else than it was asked stops the repair, by name, and nothing is kept. */
class WrongFollowerTest {
    private static final byte[] DELETION = new ItemCodec(
                    Sessions.SCHEMA,
                    Sessions.TERMS.localDeletionTimeMaxSeconds(),
                    new Purger(Sessions.SCHEMA, new SessionPurgeRule(100, 10)),
                    1)
            .encode(DeletionItem.ofPartition(KEYS.get(1), new DeletionTime(9, 95)));

    @TempDir
    private Path directory;

    private void repairShouldFailWith(byte[] fetched, String... texts) throws IOException {
        try (RepairStaging ownStaging = Sessions.staging(directory.resolve("master"));
                RepairStaging otherStaging = Sessions.staging(directory.resolve("follower"))) {
            TestTable own = new TestTable("master", Sessions.rows(KEYS.get(0), 1), Optional.of(ownStaging));
            TestTable other = new TestTable("follower", Sessions.rows(KEYS.get(1), 2), Optional.of(otherStaging));
            LocalReplica honest = new LocalReplica("follower", other.opener(), Runnable::run);
            Replica wrong = answering(honest, fetched);
            try (RepairMaster master =
                    new RepairMaster(Sessions.config(1 << 20), own, List.of(wrong), RepairListener.NONE)) {
                assertThatThrownBy(master::run)
                        .isInstanceOf(RepairException.class)
                        .hasMessageContainingAll(texts);
            }
            honest.close();
            assertThat(own.stagedFiles()).isEmpty();
            assertThat(other.stagedFiles()).isEmpty();
            assertThat(own.cursorsClosed).hasValue(own.cursorsOpened.get());
            assertThat(other.cursorsClosed).hasValue(other.cursorsOpened.get());
        }
    }

    private static Replica answering(Replica honest, byte[] fetched) {
        return (Replica) Proxy.newProxyInstance(
                Replica.class.getClassLoader(), new Class<?>[] {Replica.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("fetch")) {
                        assertThat(arguments[0]).isEqualTo(Phase.ROWS);
                        return CompletableFuture.completedFuture(fetched);
                    }
                    return method.invoke(honest, arguments);
                });
    }

    private static byte[] two(byte[] left, byte[] right) {
        byte[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }

    @Test
    void shouldStopWhenFollowerSendsNothing() throws IOException {
        repairShouldFailWith(new byte[0], "replica=follower", "wanted=2", "sent=0");
    }

    @Test
    void shouldStopWhenFollowerSendsDeletionsForRows() throws IOException {
        repairShouldFailWith(two(DELETION, DELETION), "replica=follower", "ofThisKind=0");
    }

    @Test
    void shouldStopWhenFollowerSendsNoItems() throws IOException {
        repairShouldFailWith(new byte[] {1, 2, 3}, "replica=follower", "no item");
    }

    @Test
    void shouldStopWhenFollowerSendsTokensOutsideThePart() throws IOException {
        byte[] row = Sessions.encoded(
                DecoratedKey.of(new byte[0]), HandMadeTable.row(1, 1).live(5).build());
        repairShouldFailWith(two(row, row), "outside the window");
    }
}
