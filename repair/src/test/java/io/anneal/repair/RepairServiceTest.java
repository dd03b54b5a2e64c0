package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteBudget;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.SessionStep;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Followers behind real loopback sockets. */
class RepairServiceTest {
    private static final UUID ID = new UUID(0, 1);

    /** Half of it is for sessions: three of the least buffer, since all replicas may be of one node. */
    private static final long BUDGET_BYTES = 32L * RepairConfig.BUFFER_MIN_BYTES;

    private static final long SESSION_BYTES = 11L * RepairConfig.BUFFER_MIN_BYTES / 2;

    @TempDir
    private Path directory;

    private StagingArea staging;
    private TestTable table;
    private Nodes nodes;
    private ByteBudget budget;

    @BeforeEach
    void start() throws IOException {
        staging = Sessions.staging(directory.resolve("follower"));
        table = new TestTable("follower", Sessions.rows(KEYS.get(1), 6), Optional.of(staging));
        serve(table, 1);
    }

    private void serve(TestTable served, int sessionsMax) throws IOException {
        serve(served.opener(), sessionsMax);
    }

    /** Of which others have all but the place of so many sessions. */
    private static ByteBudget budget(int sessionsMax) {
        ByteBudget budget = ByteBudget.of(BUDGET_BYTES);
        assertThat(budget.tryReserve(BUDGET_BYTES / 2 - sessionsMax * SESSION_BYTES))
                .isTrue();
        return budget;
    }

    private void serve(ReplicaSource tables, int sessionsMax) throws IOException {
        if (nodes != null) {
            nodes.close();
        }
        ByteBudget ofNode = budget(sessionsMax);
        budget = ofNode;
        nodes = new Nodes((handlers, own) ->
                new RepairService(Nodes.replicas(tables), own.executor(), ofNode).register(handlers));
    }

    @AfterEach
    void stop() throws IOException {
        nodes.close();
        staging.close();
    }

    private RemoteParticipant replica() throws IOException {
        return new RemoteParticipant(nodes.connect(), Replicas.THE_ONLY_ONE, 2);
    }

    /** What a question of bytes is answered with, on a session of its own or one that is open. */
    private static void ask(MessageStream session, int kind, byte... content) throws IOException {
        session.write(kind, ByteBuffer.wrap(content));
        Waiting.result(session.read()).orElseThrow().close();
    }

    private MessageStream opened() throws IOException {
        MessageStream session = nodes.connect().open(RepairVerb.SESSION).messages();
        ask(session, SessionStep.OPEN.code(), open(RepairVerb.VERSION, Sessions.open(1, BUFFER_BYTES)));
        return session;
    }

    private static byte[] open(int version, OpenSession parameters) {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(version);
        Texts.write(out, Replicas.THE_ONLY_ONE);
        parameters.encode(out);
        return out.toByteArray();
    }

    private static void shouldFailWith(String code, ThrowingCallable step) {
        assertThatThrownBy(step)
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }

    @Test
    void shouldMoveRowsOfManyPartsBothWays() throws IOException {
        byte[] ours = new byte[3 << 20];
        byte[] theirs = new byte[(3 << 20) + 17];
        new Random(1).nextBytes(ours);
        new Random(2).nextBytes(theirs);
        TestTable follower = new TestTable(
                "follower",
                Sessions.one(
                        KEYS.get(0), HandMadeTable.row(1, 1).cell(0, 5, theirs).build()),
                Optional.of(staging));
        serve(follower, 1);
        try (StagingArea masterStaging = Sessions.staging(directory.resolve("master"))) {
            TestTable own = new TestTable(
                    "master",
                    Sessions.one(
                            KEYS.get(2),
                            HandMadeTable.row(1, 1).cell(0, 5, ours).build()),
                    Optional.of(masterStaging));
            RepairReport report;
            try (RemoteParticipant replica = replica();
                    RepairMaster master =
                            new RepairMaster(Sessions.config(1), own, List.of(replica), RepairListener.NONE)) {
                report = master.run();
            }

            assertThat(report.rowsDiffering()).isEqualTo(2);
            assertThat(report.itemsFetched()).isEqualTo(1);
            assertThat(report.itemsPushed()).isEqualTo(1);
            assertThat(report.networkBytes()).isGreaterThan(ours.length + theirs.length);
            assertThat(own.stagedLines())
                    .isEqualTo(Sessions.one(
                                    KEYS.get(0),
                                    HandMadeTable.row(1, 1).cell(0, 5, theirs).build())
                            .lines());
            assertThat(follower.stagedLines())
                    .isEqualTo(Sessions.one(
                                    KEYS.get(2),
                                    HandMadeTable.row(1, 1).cell(0, 5, ours).build())
                            .lines());
        }
    }

    @Test
    void shouldAnswerBusyUntilSessionIsFinished() throws IOException {
        RemoteParticipant first = replica();
        Waiting.result(first.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(first.agree(Sessions.TERMS));
        RemoteParticipant second = replica();
        shouldFailWith(PeerException.BUSY, () -> Waiting.result(second.open(Sessions.open(2, BUFFER_BYTES))));

        Sessions.readAll(first);
        Waiting.result(first.finish());

        assertThat(Waiting.result(replica().open(Sessions.open(2, BUFFER_BYTES)))
                        .name())
                .isEqualTo("follower");
    }

    @Test
    void shouldSayForWhatBufferThereIsMemoryAndRefuseTermsOfALarger() throws IOException {
        RemoteParticipant replica = replica();

        assertThat(Waiting.result(replica.open(Sessions.open(1, 8 << 20))).bufferBytes())
                .isEqualTo(1 << 20);
        shouldFailWith(RepairCode.REFUSED, () -> Waiting.result(replica.agree(Sessions.terms(2 << 20))));
    }

    @Test
    void shouldReadAllReplicasInWindowsOfTheSmallestBuffer() throws IOException {
        FragmentList.Builder rows = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
        for (int i = 0; i < 10; i++) {
            rows.row(HandMadeTable.row(i, 1).cell(0, 5, new byte[500_000]).build());
        }
        try (StagingArea masterStaging = Sessions.staging(directory.resolve("master"))) {
            TestTable own = new TestTable("master", rows.end().build(), Optional.of(masterStaging));
            RepairReport report;
            try (RemoteParticipant replica = replica();
                    RepairMaster master =
                            new RepairMaster(Sessions.config(32 << 20), own, List.of(replica), RepairListener.NONE)) {
                report = master.run();
            }

            assertThat(report.windows()).as("of 5 MB in windows of 1 MiB").isGreaterThanOrEqualTo(4);
            assertThat(report.rowsDiffering()).isEqualTo(16);
        }
    }

    @Test
    void shouldFreePlaceWhenOpenFails() throws IOException {
        RemoteParticipant otherSchema = replica();
        shouldFailWith(
                RepairCode.REFUSED,
                () -> Waiting.result(otherSchema.open(Sessions.open(ID, HandMadeTable.schema(11), BUFFER_BYTES))));
        RemoteParticipant large = replica();
        shouldFailWith(
                RepairCode.TOO_LARGE,
                () -> Waiting.result(large.open(Sessions.open(1, RepairConfig.BUFFER_MAX_BYTES + 1))));
        MessageStream cut = nodes.connect().open(RepairVerb.SESSION).messages();
        shouldFailWith(
                PeerException.MALFORMED, () -> ask(cut, SessionStep.OPEN.code(), (byte) RepairVerb.VERSION, (byte) 1));

        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(2, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        assertThat(table.opened).hasValue(2);
        assertThat(table.closed).hasValue(1);
    }

    @Test
    void shouldRefuseAnotherVersionByName() throws IOException {
        MessageStream newer = nodes.connect().open(RepairVerb.SESSION).messages();

        shouldFailWith(
                RepairCode.VERSION,
                () -> ask(
                        newer, SessionStep.OPEN.code(), open(RepairVerb.VERSION + 1, Sessions.open(1, BUFFER_BYTES))));
    }

    @Test
    void shouldHoldSeveralSessionsOnOneConnection() throws IOException {
        serve(table, 2);
        Connection connection = nodes.connect();
        RemoteParticipant one = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
        RemoteParticipant other = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
        for (RemoteParticipant session : List.of(one, other)) {
            Waiting.result(session.open(Sessions.open(session == one ? 1 : 2, BUFFER_BYTES)));
            Waiting.result(session.agree(Sessions.TERMS));
            Waiting.result(session.start(List.of(TokenRange.FULL)));
        }

        one.close();

        assertThat(Waiting.result(other.read()).items()).isEqualTo(6);
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void shouldTellPeerWhenReplicaIsStoppedByAnError() throws IOException {
        table.beforeFragment = fragment -> {
            throw new StackOverflowError("deep");
        };
        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(List.of(TokenRange.FULL)));

        assertThatThrownBy(() -> Waiting.result(replica.read()))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("stopped by an error")
                .hasMessageContaining("StackOverflowError");
    }

    /** As an executor fails that can start no thread: at the first step of a session, or in the middle of one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTellPeerAndFreeThePlaceWhenStepsCannotBeRun(int stepsBefore) throws IOException {
        nodes.close();
        ByteBudget ofNode = budget(1);
        AtomicInteger left = new AtomicInteger(stepsBefore);
        nodes = new Nodes((handlers, own) -> new RepairService(
                        Nodes.replicas(table.opener()),
                        task -> {
                            if (left.getAndDecrement() <= 0) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            task.run();
                        },
                        ofNode)
                .register(handlers));
        RemoteParticipant replica = replica();

        assertThatThrownBy(() -> {
                    Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
                    Waiting.result(replica.agree(Sessions.TERMS));
                })
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("OutOfMemoryError: unable to create native thread");
        assertThat(ofNode.reservedBytes()).isEqualTo(BUDGET_BYTES / 2 - SESSION_BYTES);
    }

    @Test
    void shouldHoldNoBuffersOnceTheSessionIsFinished() throws IOException {
        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Sessions.readAll(replica);

        Waiting.result(replica.finish());

        assertThat(table.cursorsClosed).hasValue(table.cursorsOpened.get());
        assertThat(table.closed).hasValue(0);
        Waiting.result(replica.repaired(List.of(TokenRange.FULL), 100));
        assertThat(table.repairedSeconds).containsExactly(100L);
        // A place that was given back is not taken again this way.
        shouldFailWith(RepairCode.NO_SESSION, () -> Waiting.result(replica.agree(Sessions.TERMS)));
    }

    @Test
    void shouldNameTheDifferenceWhenSchemasDiffer() throws IOException {
        RemoteParticipant replica = replica();

        assertThatThrownBy(
                        () -> Waiting.result(replica.open(Sessions.open(ID, HandMadeTable.schema(11), BUFFER_BYTES))))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("schema differs")
                .hasMessageContaining("replica=follower")
                .hasMessageContaining("table=ks.t")
                .hasMessageContaining("gc_grace");
    }

    @Test
    void shouldRefuseInTheWordsOfTheTableThatCannotBeOpened() throws IOException {
        for (Exception refusal : List.of(
                new IllegalStateException("store's commit log holds writes that no SSTable has, writes=10"),
                new RepairException("import would bypass change data capture, table=ks.t"),
                new NoSuchFileException("/data", null, "no such table here, table=ks.t"),
                new UnsupportedTypeException("type is not known, table=ks.t"))) {
            serve(
                    (keyspace, name, staged) -> {
                        if (refusal instanceof IOException io) {
                            throw io;
                        }
                        throw (RuntimeException) refusal;
                    },
                    1);
            RemoteParticipant replica = replica();
            shouldFailWith(RepairCode.REFUSED, () -> Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES))));
            RemoteParticipant again = replica();
            assertThatThrownBy(() -> Waiting.result(again.open(Sessions.open(1, BUFFER_BYTES))))
                    .hasMessageContaining(refusal.getMessage())
                    .hasMessageNotContaining("Exception");
        }
    }

    @Test
    void shouldRefuseWhenServerIsReadOnly() throws IOException {
        TestTable readOnly = new TestTable("snapshot", Sessions.rows(KEYS.get(1), 1), Optional.empty());
        serve(readOnly, 1);
        RemoteParticipant replica = replica();

        assertThatThrownBy(() -> Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES))))
                .hasMessageContaining("read-only")
                .hasMessageContaining("replica=snapshot");
        assertThat(readOnly.closed).hasValue(1);
    }

    @Test
    void shouldRefuseStepsOutOfTurn() throws IOException {
        RemoteParticipant none = replica();
        shouldFailWith(RepairCode.NO_SESSION, () -> Waiting.result(none.read()));
        MessageStream twice = opened();
        shouldFailWith(
                RepairCode.NO_SESSION,
                () -> ask(twice, SessionStep.OPEN.code(), open(RepairVerb.VERSION, Sessions.open(2, BUFFER_BYTES))));
    }

    @Test
    void shouldNotEndForeignSessionWhenOpenNamesItAndFails() throws IOException {
        serve(table, 2);
        RemoteParticipant owner = replica();
        Waiting.result(owner.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(owner.agree(Sessions.TERMS));
        RemoteParticipant other = replica();

        shouldFailWith(
                RepairCode.REFUSED,
                () -> Waiting.result(other.open(Sessions.open(ID, HandMadeTable.schema(11), BUFFER_BYTES))));

        Waiting.result(owner.start(List.of(TokenRange.FULL)));
        assertThat(Waiting.result(owner.read()).items()).isEqualTo(6);
    }

    @Test
    void shouldAnswerMalformedAndTakeTheNextSessionWhenContentIsNone() throws IOException {
        for (SessionStep step : List.of(SessionStep.START, SessionStep.WINDOW, SessionStep.HASHES, SessionStep.FETCH)) {
            MessageStream session = opened();
            shouldFailWith(PeerException.MALFORMED, () -> ask(session, step.code(), (byte) 9, (byte) 9, (byte) 9));
        }
        MessageStream backwards = opened();
        shouldFailWith(
                PeerException.MALFORMED, () -> ask(backwards, SessionStep.SKETCH.code(), (byte) 9, (byte) 2, (byte) 1));
        MessageStream session = opened();
        shouldFailWith(PeerException.MALFORMED, () -> ask(session, 99));

        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(List.of(TokenRange.FULL)));
        assertThat(Waiting.result(replica.read()).items()).isEqualTo(6);
    }

    @Test
    void shouldEndSessionWhenItsStreamEndsBeforeIt() throws IOException, InterruptedException {
        MessageStream session = opened();

        session.stream().end();

        assertThat(table.end.await(30, TimeUnit.SECONDS)).isTrue();
        shouldFailWith(RepairCode.ABORTED, () -> Waiting.result(session.read()));
    }

    @Test
    void shouldEndSessionAndRemoveItsFilesWhenPeerDisconnects() throws IOException, InterruptedException {
        long freeBytes = budget.reservedBytes();
        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(1, 1)));
        Waiting.result(replica.agree(Sessions.terms(1)));
        Waiting.result(replica.start(List.of(TokenRange.FULL)));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
        Waiting.result(replica.push(
                Sessions.encoded(KEYS.get(1), HandMadeTable.row(-1, 0).live(5).build())));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
        assertThat(table.stagedFiles()).isNotEmpty();

        replica.close();

        assertThat(table.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(table.stagedFiles()).isEmpty();
        assertThat(table.closed).hasValue(1);
        assertThat(table.cursorsClosed).hasValue(table.cursorsOpened.get());
        // The place is given back behind the table, and nothing of the session is left to tell when.
        for (long end = System.nanoTime() + 30_000_000_000L; budget.reservedBytes() > freeBytes; ) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(1);
        }
        Waiting.result(replica().open(Sessions.open(2, BUFFER_BYTES)));
    }
}
