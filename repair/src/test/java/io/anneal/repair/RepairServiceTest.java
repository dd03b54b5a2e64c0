package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.Texts;
import io.anneal.schema.UnsupportedTypeException;
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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Followers behind real loopback sockets. */
class RepairServiceTest {
    private static final UUID ID = new UUID(0, 1);

    @TempDir
    private Path directory;

    private StagingArea staging;
    private TestTable table;
    private Nodes nodes;

    @BeforeEach
    void start() throws IOException {
        staging = Sessions.staging(directory.resolve("follower"));
        table = new TestTable("follower", Sessions.rows(KEYS.get(1), 6), Optional.of(staging));
        serve(table, 1);
    }

    private void serve(TestTable served, int sessionsMax) throws IOException {
        serve(served.opener(), sessionsMax);
    }

    private void serve(ReplicaSource tables, int sessionsMax) throws IOException {
        if (nodes != null) {
            nodes.close();
        }
        nodes = new Nodes((handlers, own) -> new RepairService(tables, own.executor(), sessionsMax).register(handlers));
    }

    @AfterEach
    void stop() throws IOException {
        nodes.close();
        staging.close();
    }

    private RemoteParticipant replica() throws IOException {
        return new RemoteParticipant(nodes.connect(), 2);
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
        RemoteParticipant second = replica();
        Waiting.result(first.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(first.agree(Sessions.TERMS));
        shouldFailWith(RepairService.BUSY, () -> Waiting.result(second.open(Sessions.open(2, BUFFER_BYTES))));

        Waiting.result(first.finish());

        assertThat(Waiting.result(second.open(Sessions.open(2, BUFFER_BYTES))).name())
                .isEqualTo("follower");
        shouldFailWith(RepairService.NO_SESSION, () -> Waiting.result(first.fill()));
    }

    @Test
    void shouldFreePlaceWhenOpenFails() throws IOException {
        RemoteParticipant replica = replica();
        shouldFailWith(
                RepairService.REFUSED,
                () -> Waiting.result(replica.open(Sessions.open(ID, HandMadeTable.schema(11), BUFFER_BYTES))));
        shouldFailWith(
                RepairService.TOO_LARGE,
                () -> Waiting.result(replica.open(Sessions.open(1, RepairConfig.BUFFER_MAX_BYTES + 1))));
        shouldFailWith(
                RepairService.MALFORMED,
                () -> nodes.connect().call(RepairVerb.OPEN, message(new UUID(0, 9), (byte) 1)));

        Waiting.result(replica.open(Sessions.open(2, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        assertThat(table.opened).hasValue(2);
        assertThat(table.closed).hasValue(1);
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

            shouldFailWith(RepairService.REFUSED, () -> Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES))));
            assertThatThrownBy(() -> Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES))))
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
    void shouldKnowSessionsOnTheirConnectionOnly() throws IOException {
        RemoteParticipant none = replica();
        shouldFailWith(RepairService.NO_SESSION, () -> Waiting.result(none.fill()));

        RemoteParticipant owner = replica();
        RemoteParticipant other = replica();
        Waiting.result(owner.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(owner.agree(Sessions.TERMS));
        shouldFailWith(RepairService.NO_SESSION, () -> Waiting.result(other.open(Sessions.open(1, BUFFER_BYTES))));
        shouldFailWith(RepairService.NO_SESSION, () -> Waiting.result(other.fill()));
        shouldFailWith(RepairService.NO_SESSION, () -> Waiting.result(other.finish()));

        Waiting.result(owner.startPart(TokenRange.Linear.ALL));
        assertThat(Waiting.result(owner.fill()).items()).isEqualTo(6);
    }

    @Test
    void shouldNotEndForeignSessionWhenOpenNamesItAndFails() throws IOException {
        serve(table, 2);
        RemoteParticipant owner = replica();
        Waiting.result(owner.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(owner.agree(Sessions.TERMS));
        Connection other = nodes.connect();
        OpenSession failing = Sessions.open(ID, HandMadeTable.schema(11), BUFFER_BYTES);
        ByteWriter out = new ByteWriter(64);
        failing.encode(out);

        shouldFailWith(
                RepairService.REFUSED, () -> other.call(RepairVerb.OPEN, message(new UUID(0, 2), out.toByteArray())));

        Waiting.result(owner.startPart(TokenRange.Linear.ALL));
        assertThat(Waiting.result(owner.fill()).items()).isEqualTo(6);
    }

    @Test
    void shouldAnswerMalformedAndGoOnWhenContentIsNone() throws IOException {
        Connection connection = nodes.connect();
        RemoteParticipant replica = new RemoteParticipant(connection, 2);
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));

        for (Verb verb : List.of(RepairVerb.PART, RepairVerb.WINDOW, RepairVerb.HASHES, RepairVerb.FETCH)) {
            shouldFailWith(
                    RepairService.MALFORMED, () -> connection.call(verb, message(ID, (byte) 9, (byte) 9, (byte) 9)));
        }
        shouldFailWith(RepairService.MALFORMED, () -> connection.call(RepairVerb.FILL, ByteBuffer.allocate(3)));

        Waiting.result(replica.startPart(TokenRange.Linear.ALL));
        assertThat(Waiting.result(replica.fill()).items()).isEqualTo(6);
    }

    @Test
    void shouldEndSessionAndRemoveItsFilesWhenPeerDisconnects() throws IOException, InterruptedException {
        RemoteParticipant replica = replica();
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.startPart(TokenRange.Linear.ALL));
        Waiting.result(replica.window(Waiting.result(replica.fill()).last()));
        Waiting.result(replica.push(
                Sessions.encoded(KEYS.get(1), HandMadeTable.row(77, 0).live(5).build())));
        Waiting.result(replica.fill());
        assertThat(table.stagedFiles()).isNotEmpty();

        replica.close();

        assertThat(table.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(table.stagedFiles()).isEmpty();
        assertThat(table.closed).hasValue(1);
        assertThat(table.cursorsClosed).hasValue(table.cursorsOpened.get());
        Waiting.result(replica().open(Sessions.open(2, BUFFER_BYTES)));
    }

    private static ByteBuffer message(UUID sessionId, byte... content) {
        ByteWriter out = new ByteWriter(64);
        Texts.write(out, sessionId);
        out.writeBytes(content);
        return ByteBuffer.wrap(out.toByteArray());
    }
}
