package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteWriter;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.Receiving;
import io.anneal.node.StagingArea;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.repair.message.WindowSummary;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.ItemCodec;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

    private static final WindowSummary.Sum NOTHING = WindowSummary.Sum.NOTHING;

    @TempDir
    private Path directory;

    /** What a wrong follower does where the honest one would answer. */
    private interface Lie {
        Object answer(LocalParticipant honest, Object[] arguments);
    }

    /** Where one side has no rows in a window, and where both have another version of one. */
    private void repairShouldFailWhen(String method, Lie lie, String... texts) throws IOException {
        repairShouldFailWhen(Sessions.rows(KEYS.get(0), 1), method, lie, texts);
        repairOfVersionsShouldFailWhen(method, lie, texts);
    }

    private void repairOfVersionsShouldFailWhen(String method, Lie lie, String... texts) throws IOException {
        FragmentList olderAndNewer = FragmentList.builder(Sessions.SCHEMA)
                .partition(KEYS.get(1))
                .row(HandMadeTable.row(0, 0).live(1).build())
                .row(HandMadeTable.row(1, 0).live(9).build())
                .end()
                .build();
        repairShouldFailWhen(olderAndNewer, method, lie, texts);
    }

    private void repairShouldFailWhen(FragmentList ownRows, String method, Lie lie, String... texts)
            throws IOException {
        try (StagingArea ownStaging = Sessions.staging(directory.resolve("master"));
                StagingArea otherStaging = Sessions.staging(directory.resolve("follower"))) {
            TestTable own = new TestTable("master", ownRows, Optional.of(ownStaging));
            TestTable other = new TestTable("follower", Sessions.rows(KEYS.get(1), 2), Optional.of(otherStaging));
            LocalParticipant honest = new LocalParticipant("follower", other.opener(), Runnable::run);
            try (RepairMaster master = new RepairMaster(
                    Sessions.config(1), own, List.of(lying(honest, method, lie)), RepairListener.NONE)) {
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

    private static Participant lying(LocalParticipant honest, String name, Lie lie) {
        return (Participant) Proxy.newProxyInstance(
                Participant.class.getClassLoader(),
                new Class<?>[] {Participant.class},
                (proxy, method, arguments) -> method.getName().equals(name)
                        ? lie.answer(honest, arguments)
                        : method.invoke(honest, arguments));
    }

    private static Lie saying(Object answer) {
        return (honest, arguments) -> CompletableFuture.completedFuture(answer);
    }

    /** With the one item that there is no room for beside others, so that what comes is looked at. */
    private static Lie fetched(byte[] items) {
        return (honest, arguments) ->
                CompletableFuture.completedFuture((int) arguments[3] == Participant.ONE_ITEM ? items : new byte[0]);
    }

    private static byte[] times(int count, byte[] items) {
        ByteWriter all = new ByteWriter(64);
        for (int i = 0; i < count; i++) {
            all.writeBytes(items);
        }
        return all.toByteArray();
    }

    @Test
    void shouldStopWhenFollowerSendsNothing() throws IOException {
        repairShouldFailWhen("fetch", saying(new byte[0]), "replica=follower", "wanted=1", "sent=0");
    }

    @Test
    void shouldStopWhenFollowerSendsDeletionsForRows() throws IOException {
        repairShouldFailWhen("fetch", fetched(DELETION), "replica=follower", "phase=ROWS", "kind=PARTITION_DELETION");
    }

    @Test
    void shouldStopWhenFollowerSendsNoItems() throws IOException {
        repairShouldFailWhen("fetch", fetched(new byte[] {1, 2, 3}), "replica=follower", "no item");
    }

    @Test
    void shouldStopWhenFollowerSendsRowFourTimes() throws IOException {
        repairShouldFailWhen(
                "fetch",
                (honest, arguments) -> honest.fetch(
                                (Phase) arguments[0], (Wanted) arguments[1], (int) arguments[2], (int) arguments[3])
                        .thenApply(items -> times(4, items)),
                "replica=follower",
                "wanted=1",
                "sent=4");
    }

    @Test
    void shouldStopWhenFollowerInventsRow() throws IOException {
        byte[] invented =
                Sessions.encoded(KEYS.get(1), HandMadeTable.row(0, 77).live(5).build());
        repairShouldFailWhen("fetch", fetched(invented), "replica=follower", "did not send what it listed");
    }

    @Test
    void shouldStopWhenFollowerSendsMoreThanThereIsRoomFor() throws IOException {
        repairShouldFailWhen(
                "fetch", saying(DELETION), "replica=follower", "did not send what it listed", "roomBytes=1");
    }

    @Test
    void shouldStopBeforeHashesAreAskedForWhenFollowerHoldsMoreThanItsBuffer() throws IOException {
        WindowSummary.Sum much = new WindowSummary.Sum(1L << 30, 1, 1);
        repairShouldFailWhen(
                "window",
                saying(new WindowAnswer(new WindowSummary(NOTHING, much, false), Sketch.of(new long[0], 0, 0))),
                "replica=follower",
                "more in a window than its row buffer has room for",
                "items=1073741824");
    }

    @Test
    void shouldStopWhenFollowerIsPushedTokensOutsideItsRanges() throws IOException {
        repairShouldFailWhen(
                Sessions.rows(KEYS.get(0), 1),
                "start",
                (honest, arguments) -> honest.start(List.of(
                        new TokenRange(KEYS.get(1).token() - 1, KEYS.get(1).token()))),
                "outside the window");
    }

    @Test
    void shouldStopWhenFollowerAnswersWithGhostsThatItHasNotAnnounced() throws IOException {
        repairShouldFailWhen(
                "push",
                (honest, arguments) -> honest.push((byte[]) arguments[0])
                        .thenApply(answer -> new PushAnswer(answer.summary(), DELETION)),
                "replica=follower",
                "not announced");
    }

    private void repairOfDeletionShouldFailWhenGhostsAre(byte[] ghosts, String... texts) throws IOException {
        FragmentList deleted = FragmentList.builder(Sessions.SCHEMA)
                .partition(KEYS.get(1), 9, 95)
                .end()
                .build();
        repairShouldFailWhen(
                deleted,
                "push",
                (honest, arguments) -> honest.push((byte[]) arguments[0])
                        .thenApply(answer -> new PushAnswer(answer.summary(), ghosts)),
                texts);
    }

    @Test
    void shouldNameFollowerWhoseGhostsAreNoItems() throws IOException {
        repairOfDeletionShouldFailWhenGhostsAre(new byte[] {1, 2, 3}, "replica=follower", "no item");
    }

    @Test
    void shouldNameFollowerThatHasNoRowBuffer() throws IOException {
        repairShouldFailWhen(
                "open",
                (honest, arguments) -> honest.open((OpenSession) arguments[0])
                        .thenApply(opened -> new SessionOpened(
                                opened.facts(),
                                opened.localDeletionTimeMaxSeconds(),
                                0,
                                true,
                                false,
                                List.of(),
                                OptionalLong.empty())),
                "replica=follower",
                "no row buffer");
    }

    /** What it staged came of data that is as old as the session's. */
    @Test
    void shouldNotBelieveFollowerThatHasMoreTimeForTheImport() throws IOException {
        try (StagingArea ownStaging = Sessions.staging(directory.resolve("master"));
                StagingArea otherStaging = Sessions.staging(directory.resolve("follower"))) {
            TestTable own = new TestTable("master", Sessions.rows(KEYS.get(0), 1), Optional.of(ownStaging));
            TestTable other = new TestTable("follower", Sessions.rows(KEYS.get(1), 2), Optional.of(otherStaging));
            LocalParticipant honest = new LocalParticipant("follower", other.opener(), Runnable::run);
            Lie lie = (follower, arguments) -> follower.finish()
                    .thenApply(done -> new SessionFinished(done.counts(), Receiving.NO_DEADLINE, done.sstables()));
            try (RepairMaster master = new RepairMaster(
                    Sessions.config(1), own, List.of(lying(honest, "finish", lie)), RepairListener.NONE)) {
                RepairReport report = master.run();

                assertThat(report.replicas())
                        .allSatisfy(replica ->
                                assertThat(replica.importDeadlineSeconds()).isEqualTo(110));
            }
            honest.close();
        }
    }

    @Test
    void shouldStopWhenFollowerDropsWhatIsPushed() throws IOException {
        repairShouldFailWhen(
                "push",
                saying(new PushAnswer(new WindowSummary(NOTHING, NOTHING, false), new byte[0])),
                "replica=follower",
                "differs after it was given");
    }

    @Test
    void shouldStopWhenHashesOfFollowerDoNotAddUp() throws IOException {
        repairOfVersionsShouldFailWhen("hashes", saying(new long[] {1}), "replica=follower", "do not add up");
        repairOfVersionsShouldFailWhen("hashes", saying(new long[] {}), "replica=follower", "do not add up");
    }

    @Test
    void shouldStopWhenFollowerRepeatsItsVote() throws IOException {
        SyncVote vote =
                new SyncVote(RingPosition.of(KEYS.get(0), PositionInPartition.at(HandMadeTable.clustering(0, 0))), 1);
        repairShouldFailWhen(
                "read",
                (honest, arguments) -> honest.read().thenApply(right -> vote),
                "replica=follower",
                "not read beyond the last boundary");
    }
}
