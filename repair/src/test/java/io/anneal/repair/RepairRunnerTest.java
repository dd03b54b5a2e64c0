package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import io.anneal.repair.message.Waiver;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairRunnerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private StagingArea masterStaging;
    private StagingArea followerStaging;
    private TestTable own;
    private TestTable followed;
    private Nodes master;
    private Nodes follower;

    @BeforeEach
    void start() throws IOException {
        masterStaging = Sessions.staging(directory.resolve("master"));
        followerStaging = Sessions.staging(directory.resolve("follower"));
        own = new TestTable("master", Sessions.rows(KEYS.get(0), 3), Optional.of(masterStaging));
        followed = new TestTable("follower", Sessions.rows(KEYS.get(1), 2), Optional.of(followerStaging));
        follower = new Nodes(
                (handlers, node) -> new RepairService(followed.opener(), node.executor(), 1).register(handlers));
        master = new Nodes((handlers, node) -> new RepairRunner(
                        new UUID(0, 99),
                        own.opener(),
                        node.client(),
                        node.executor(),
                        () -> Instant.ofEpochSecond(100),
                        new Random(1))
                .register(handlers));
    }

    @AfterEach
    void stop() throws IOException {
        master.close();
        follower.close();
        masterStaging.close();
        followerStaging.close();
    }

    private static RunRepair run(String... followerAddresses) {
        return new RunRepair(
                new UUID(0, 1),
                "ks",
                "t",
                TokenRange.FULL,
                List.of(followerAddresses),
                1 << 20,
                false,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA));
    }

    private static RepairStatus end(RepairClient client) throws IOException {
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        RepairStatus status = client.status();
        while (status.isRunning()) {
            assertThat(System.nanoTime()).as("repair did not end").isLessThan(endNanos);
            Thread.yield();
            status = client.status();
        }
        return status;
    }

    @Test
    void shouldTellReportWhenRepairIsDone() throws IOException {
        RepairClient client = new RepairClient(master.connect());
        client.start(run(follower.address()));

        RepairStatus status = end(client);

        assertThat(status.failure()).isEmpty();
        RepairReport report = status.report().orElseThrow();
        assertThat(report.rowsDiffering()).isEqualTo(5);
        assertThat(report.replicas())
                .extracting(RepairReport.ReplicaReport::name)
                .containsExactly("master", "follower");
        assertThat(report.replicas())
                .extracting(RepairReport.ReplicaReport::rowsWritten)
                .containsExactly(2L, 3L);
        assertThat(followed.stagedLines())
                .isEqualTo(Sessions.rows(KEYS.get(0), 3).lines());
        assertThat(own.stagedLines()).isEqualTo(Sessions.rows(KEYS.get(1), 2).lines());
        assertThat(own.closed).hasValue(1);
    }

    @Test
    void shouldRefuseOneServerGivenAsTwoReplicas() throws IOException {
        RepairClient client = new RepairClient(master.connect());
        client.start(run(follower.address(), follower.address()));

        assertThat(end(client).failure().orElseThrow())
                .contains("one server is given as two replicas")
                .contains(follower.address());
    }

    @Test
    void shouldNameFollowerWhenItIsNotThere() throws IOException {
        String gone = follower.address();
        follower.close();
        RepairClient client = new RepairClient(master.connect());
        client.start(run(gone));

        assertThat(end(client).failure().orElseThrow()).contains(gone);
        assertThat(own.closed).hasValue(1);
    }

    @Test
    void shouldNameFollowerWhenItsReadingFails() throws IOException {
        followed.beforeFragment = fragment -> {
            throw new IOException("disk is gone");
        };
        RepairClient client = new RepairClient(master.connect());
        client.start(run(follower.address()));

        assertThat(end(client).failure().orElseThrow()).contains("disk is gone").contains(follower.address());
        assertThat(own.stagedFiles()).isEmpty();
    }

    @Test
    void shouldSayThatItStoppedWhenAnErrorIsThrown() throws IOException {
        own.beforeFragment = fragment -> {
            throw new StackOverflowError("deep");
        };
        RepairClient client = new RepairClient(master.connect());
        client.start(run(follower.address()));

        assertThat(end(client).failure().orElseThrow()).contains("error");
    }

    @Test
    void shouldRefuseSecondRepairOnConnectionAndStatusWithoutOne() throws IOException {
        RepairClient client = new RepairClient(master.connect());
        assertThatThrownBy(client::status)
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(RepairService.NO_SESSION));
        client.start(run(follower.address()));
        assertThatThrownBy(() -> client.start(run(follower.address())))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(RepairService.BUSY));
        end(client);
    }

    @Test
    void shouldAnswerMalformedWhenRequestIsNone() throws IOException {
        Connection connection = master.connect();

        assertThatThrownBy(() -> connection.call(RepairVerb.RUN, ByteBuffer.allocate(5)))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(RepairService.MALFORMED));
    }

    @Test
    void shouldStopAndKeepNothingWhenClientDisconnects() throws IOException, InterruptedException {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        own.beforeFragment = fragment -> {
            reading.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException("stopped");
            }
        };
        Connection connection = master.connect();
        new RepairClient(connection).start(run(follower.address()));
        assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();

        connection.close();

        assertThat(own.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(followed.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(own.stagedFiles()).isEmpty();
        assertThat(followed.stagedFiles()).isEmpty();
        assertThat(own.cursorsClosed).hasValue(own.cursorsOpened.get());
    }
}
