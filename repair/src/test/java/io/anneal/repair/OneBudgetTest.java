package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.Verb;
import io.anneal.net.Waiting;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node has one budget for sessions, streams and messages; neither of them keeps the others out. */
@Timeout(60)
class OneBudgetTest {
    /** Half of it is four sessions, and little beside. */
    private static final long BUDGET_BYTES = 41 << 20;

    private static final Verb ECHO = new Verb(900, "test.echo");
    private static final Verb READ = new Verb(901, "test.read");
    private static final Verb STUCK = new Verb(902, "test.stuck");

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<RemoteParticipant> sessions = new ArrayList<>();
    private final TestTable table = new TestTable("follower", Sessions.rows(KEYS.get(1), 6), Optional.empty());
    private Nodes nodes;
    private Connection connection;

    @BeforeEach
    void start() throws IOException {
        nodes = new Nodes(
                (handlers, own) -> {
                    new RepairService(Nodes.replicas(table.opener()), own.executor(), own.budget()).register(handlers);
                    handlers.register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request));
                    handlers.registerStream(READ, stream -> stream.readAll(piece -> piece.position(piece.limit())));
                    handlers.registerStream(STUCK, stream -> {});
                },
                BUDGET_BYTES);
        connection = nodes.connect();
    }

    @AfterEach
    void stop() throws IOException {
        nodes.close();
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    /** Opens sessions until the answer is that there is no room. */
    private void takeAllSessions() throws IOException {
        while (true) {
            RemoteParticipant session = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
            try {
                Waiting.result(session.open(Sessions.dryRun(sessions.size(), BUFFER_BYTES)));
                sessions.add(session);
            } catch (PeerException busy) {
                assertThat(busy.code()).isEqualTo(PeerException.BUSY);
                return;
            }
        }
    }

    @Test
    void shouldMoveStreamsAndMessagesWhenSessionsHaveAllThatTheyMayHave() throws IOException {
        takeAllSessions();
        assertThat(sessions)
                .hasSize((int) (BUDGET_BYTES / 2 / RepairConfig.sessionBytes(BUFFER_BYTES, Sessions.REPLICAS)));
        long sessionBytes = nodes.budget().reservedBytes();
        assertThat(sessionBytes).isGreaterThan(BUDGET_BYTES * 2 / 5);

        byte[] large = new byte[4 << 20];
        assertThat(connection.call(ECHO, ByteBuffer.wrap(large)).remaining()).isEqualTo(large.length);
        PeerStream stream = connection.open(READ);
        long before = nodes.budget().reservedBytesMost();
        for (int i = 0; i < 16; i++) {
            Waiting.result(stream.write(ByteBuffer.wrap(large)));
        }
        Waiting.result(stream.end());

        assertThat(before).isLessThanOrEqualTo(BUDGET_BYTES);
        assertThat(nodes.budget().reservedBytes()).isGreaterThanOrEqualTo(sessionBytes);
    }

    @Test
    void shouldLetWindowsGrowWhenSessionsHaveAllThatTheyMayHave() throws IOException {
        takeAllSessions();
        AtomicLong most = new AtomicLong();
        long before = nodes.budget().reservedBytes();
        PeerStream stream = connection.open(READ);
        for (int i = 0; i < 64; i++) {
            Waiting.result(stream.write(ByteBuffer.allocate(1 << 20)));
            most.accumulateAndGet(nodes.budget().reservedBytes() - before, Math::max);
        }

        assertThat(most.get()).as("far more than the first credit").isGreaterThan(512 << 10);
    }

    @Test
    void shouldAdmitASessionOrSayBusyWhenNobodyReads() throws IOException {
        List<PeerStream> stuck = new ArrayList<>();
        while (nodes.budget().reservedBytes() < BUDGET_BYTES / 4) {
            stuck.add(connection.open(STUCK));
            // The server takes it, and keeps what it may be sent.
            connection.call(ECHO, ByteBuffer.allocate(1));
        }
        RemoteParticipant admitted = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
        Waiting.result(admitted.open(Sessions.dryRun(1, BUFFER_BYTES)));
        while (nodes.budget().reservedBytes() < BUDGET_BYTES / 2 - (1 << 20)) {
            stuck.add(connection.open(STUCK));
            connection.call(ECHO, ByteBuffer.allocate(1));
        }
        RemoteParticipant busy = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
        assertThatThrownBy(() -> Waiting.result(busy.open(Sessions.dryRun(2, BUFFER_BYTES))))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        refused -> assertThat(refused.code()).isEqualTo(PeerException.BUSY));

        stuck.forEach(stream -> stream.reset("test-enough", "no more"));
        while (nodes.budget().reservedBytes() > BUDGET_BYTES / 4) {
            Thread.onSpinWait();
        }
        RemoteParticipant after = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
        Waiting.result(after.open(Sessions.dryRun(3, BUFFER_BYTES)));
    }

    private RepairEnvironment environment(ByteBudget budget) {
        HostEnvironment host = HostEnvironment.system()
                .withClock(() -> Instant.ofEpochSecond(100))
                .withRandom(new Random(1));
        return new RepairEnvironment(host, nodes.executor(), budget);
    }

    private RepairMember replica(int number) throws IOException {
        return RepairMember.here(table(number).opener());
    }

    private TestTable table(int number) throws IOException {
        StagingArea staging = Sessions.staging(directory.resolve("replica" + number));
        stagings.add(staging);
        return new TestTable("replica" + number, Sessions.rows(KEYS.get(number), 3), Optional.of(staging));
    }

    @Test
    void shouldReserveForReplicasOfThisProcess() throws IOException {
        ByteBudget budget = ByteBudget.of(BUDGET_BYTES);
        AtomicLong reserved = new AtomicLong();
        TestTable watched = table(0);
        watched.beforeFragment = fragment -> reserved.set(budget.reservedBytes());
        Repair repair = Repair.of("ks.t")
                .between(RepairMember.here(watched.opener()), replica(1), replica(2))
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .patience(Duration.ZERO);

        assertThat(budget.tryReserve(1 << 20)).isTrue();
        assertThatThrownBy(() -> repair.run(environment(budget)))
                .as("half of the budget less a mebibyte is not enough for the buffers that fill it")
                .isInstanceOfSatisfying(
                        PeerException.class,
                        refused -> assertThat(refused.code()).isEqualTo(PeerException.BUSY));
        budget.release(1 << 20);
        repair.run(environment(budget));

        assertThat(reserved.get()).isBetween(BUDGET_BYTES / 2 - (1 << 20), BUDGET_BYTES / 2);
        assertThat(budget.reservedBytes()).isZero();
    }
}
