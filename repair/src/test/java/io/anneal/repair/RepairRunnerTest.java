package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepairRunnerTest {
    @TempDir
    private Path directory;

    private StagingArea masterStaging;
    private StagingArea followerStaging;
    private TestTable own;
    private TestTable followed;
    private Nodes master;
    private Nodes follower;

    private final AtomicLong passed = new AtomicLong();
    /** Between any two looks at the clock. */
    private volatile long passingMs;

    @BeforeEach
    void start() throws IOException {
        masterStaging = Sessions.staging(directory.resolve("master"));
        followerStaging = Sessions.staging(directory.resolve("follower"));
        own = new TestTable("master", Sessions.rows(KEYS.get(0), 3), Optional.of(masterStaging));
        followed = new TestTable("follower", Sessions.rows(KEYS.get(1), 2), Optional.of(followerStaging));
        follower = new Nodes((handlers, node) -> new RepairService(
                        Nodes.replicas(
                                (keyspace, table, staged) -> followed.opener().open(keyspace, table, staged)),
                        node.executor(),
                        ByteBudget.of(64 << 20))
                .register(handlers));
        master = new Nodes((handlers, node) -> new RepairRunner(
                        node.id(),
                        Nodes.replicas((keyspace, table, staged) -> own.opener().open(keyspace, table, staged)),
                        node.client(),
                        node.waiting(),
                        environment(node.executor(), 64 << 20))
                .register(handlers));
    }

    @AfterEach
    void stop() throws IOException {
        master.close();
        follower.close();
        masterStaging.close();
        followerStaging.close();
    }

    private RepairEnvironment environment(Executor executor, long budgetBytes) {
        HostEnvironment host = HostEnvironment.system()
                .withClock(() -> Instant.ofEpochMilli(100_000 + passed.addAndGet(passingMs)))
                .withRandom(new Random(1));
        return new RepairEnvironment(host, executor, ByteBudget.of(budgetBytes));
    }

    private static List<RunRepair.Follower> followers(String... addresses) {
        return Stream.of(addresses)
                .map(address -> new RunRepair.Follower(address, Replicas.THE_ONLY_ONE))
                .toList();
    }

    private static RunRepair run(String... followerAddresses) {
        return run(1 << 20, false, followerAddresses);
    }

    private static RunRepair run(int bufferBytes, boolean allReplicas, String... followerAddresses) {
        return new RunRepair(
                "127.0.0.1:1",
                Replicas.THE_ONLY_ONE,
                "ks",
                "t",
                List.of(TokenRange.FULL),
                followers(followerAddresses),
                bufferBytes,
                false,
                allReplicas,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA),
                1,
                ReadRate.UNLIMITED,
                new UUID(7, 7),
                Long.MAX_VALUE,
                Optional.empty(),
                false,
                false);
    }

    private RepairReport repair(String... followerAddresses) throws IOException {
        return new RepairClient(master.connect()).run(run(followerAddresses), RepairListener.NONE);
    }

    @Test
    void shouldReadNoFasterThanTheRateOfWhoeverAskedForIt() throws IOException {
        own = new TestTable(
                "master", Sessions.rows(PacedRepair.KEYS, PacedRepair.KEY_ROWS), Optional.of(masterStaging));
        followed = new TestTable("follower", own.rows, Optional.of(followerStaging));
        PacedRepair paced = new PacedRepair(own);
        ExecutorService executor = Executors.newCachedThreadPool();
        try (Nodes client = new Nodes((handlers, node) -> {})) {
            RepairReport report = paced.run(
                    executor,
                    RepairMember.at(client.client(), RepairRunner.address(master.address())),
                    RepairMember.at(client.client(), RepairRunner.address(follower.address())));

            assertThat(report.wereEqual()).isTrue();
        } finally {
            executor.shutdownNow();
        }
        paced.assertPace();
    }

    @Test
    void shouldTellReportWhenRepairIsDone() throws IOException {
        RepairReport report = repair(follower.address());

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
    void shouldTellThatTheRangeIsRepairedOnlyWhenAllReplicasTookInWhatTheyReceived() throws IOException {
        own.takesInAtOnce = true;
        new RepairClient(master.connect()).run(run(1 << 20, true, follower.address()), RepairListener.NONE);
        followed.takesInAtOnce = true;
        repair(follower.address());
        assertThat(own.repairedSeconds).isEmpty();
        assertThat(followed.repairedSeconds).isEmpty();

        new RepairClient(master.connect()).run(run(1 << 20, true, follower.address()), RepairListener.NONE);

        assertThat(own.repairedSeconds).containsExactly(100L);
        assertThat(followed.repairedSeconds).containsExactly(100L);
    }

    @Test
    void shouldRefuseATaskWithoutRangesOrFollowersAsMalformed() throws IOException {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(RepairVerb.VERSION);
        run("nowhere:1").encode(out);
        String task = new String(out.toByteArray(), StandardCharsets.ISO_8859_1);
        String none = task.replace("\u0001\u0009nowhere:1\u0000", "\u0000");
        assertThat(none).isNotEqualTo(task);
        MessageStream stream = master.connect().open(RepairVerb.RUN).messages();
        stream.write(1, ByteBuffer.wrap(none.getBytes(StandardCharsets.ISO_8859_1)));

        assertThatThrownBy(() -> Waiting.result(stream.read()))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        refused -> assertThat(refused.code()).isEqualTo(PeerException.MALFORMED));
    }

    /** Else the master seems to be lost before the follower does. */
    @Test
    @Timeout(60)
    void shouldGiveSignsOfLifeWhileItWaitsForAFollower() throws IOException {
        passingMs = 1_000;
        CompletableFuture<Void> answers = new CompletableFuture<>();
        followed.beforeFragment = fragment -> answers.join();
        AtomicInteger signs = new AtomicInteger();

        RepairReport report = new RepairClient(master.connect()).run(run(follower.address()), new RepairListener() {
            @Override
            public void progress(long windows, long rowsRead, long bytesRead, double covered) {
                if (windows == 0 && signs.incrementAndGet() == 3) {
                    answers.complete(null);
                }
            }
        });

        assertThat(signs.get()).isGreaterThanOrEqualTo(3);
        assertThat(report.rowsDiffering()).isEqualTo(5);
    }

    @Test
    void shouldRefuseOneServerGivenAsTwoReplicas() {
        assertThatThrownBy(() -> repair(follower.address(), follower.address()))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("one server is given as two replicas")
                .hasMessageContaining(follower.address());
    }

    @Test
    void shouldNameFollowerWhenItIsNotThere() {
        String gone = follower.address();
        follower.close();

        assertThatThrownBy(() -> repair(gone))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining(gone);
        assertThat(own.closed).hasValue(1);
    }

    @Test
    void shouldNameFollowerWhenItsReadingFails() throws IOException {
        followed.beforeFragment = fragment -> {
            throw new IOException("disk is gone");
        };

        assertThatThrownBy(() -> repair(follower.address()))
                .hasMessageContaining("disk is gone")
                .hasMessageContaining(follower.address());
        assertThat(own.stagedFiles()).isEmpty();
    }

    @Test
    void shouldSayThatItStoppedWhenAnErrorIsThrown() {
        own.beforeFragment = fragment -> {
            throw new StackOverflowError("deep");
        };

        assertThatThrownBy(() -> repair(follower.address()))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("stopped by an error")
                .hasMessageContaining("StackOverflowError");
    }

    /** As an executor fails that can start no thread. */
    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, IllegalStateException.class, RejectedExecutionException.class})
    void shouldTellPeerAndLogWhenARunCannotBeBegun(Class<? extends Throwable> failing) throws IOException {
        ByteBudget budget = ByteBudget.of(64 << 20);
        try (Nodes broken = new Nodes((handlers, node) -> new RepairRunner(
                        node.id(),
                        Nodes.replicas(own.opener()),
                        node.client(),
                        Failing.with(failing),
                        new RepairEnvironment(HostEnvironment.system(), node.executor(), budget))
                .register(handlers))) {
            RepairClient client = new RepairClient(broken.connect());

            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> client.run(run(follower.address()), RepairListener.NONE))
                        .isInstanceOf(PeerException.class)
                        .hasMessageContaining(
                                failing == RejectedExecutionException.class ? "no thread" : failing.getName());
            }
            assertThat(budget.reservedBytes()).isZero();
        }
    }

    /** Of the smallest the first window holds less than what counts as much. */
    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 4 << 10})
    void shouldSayWhatWouldLetItGoOn(int bufferBytes) throws IOException {
        followed = new TestTable("follower", Sessions.rows(KEYS.get(1), 2_000), Optional.of(followerStaging));
        own = new TestTable("master", Sessions.rows(KEYS.get(1), 0), Optional.of(masterStaging));
        RunRepair careful = new RunRepair(
                "127.0.0.1:1",
                Replicas.THE_ONLY_ONE,
                "ks",
                "t",
                List.of(TokenRange.FULL),
                followers(follower.address()),
                bufferBytes,
                false,
                false,
                Optional.empty(),
                Set.of(),
                1,
                ReadRate.UNLIMITED,
                new UUID(7, 7),
                Long.MAX_VALUE,
                Optional.empty(),
                false,
                false);

        assertThatThrownBy(() -> new RepairClient(master.connect()).run(careful, RepairListener.NONE))
                .isInstanceOfSatisfying(
                        RepairException.class,
                        refused -> assertThat(refused.waiver()).contains(Waiver.EMPTY_REPLICA))
                .hasMessageNotContaining("--");
        assertThat(own.stagedFiles()).isEmpty();
    }

    @Test
    @Timeout(60)
    void shouldRestWhileNobodyHearsHowItIsDoing() throws IOException {
        int rows = 200;
        own = new TestTable("master", Sessions.rows(KEYS.get(0), rows), Optional.of(masterStaging));
        AtomicInteger read = new AtomicInteger();
        own.beforeFragment = read::set;
        passingMs = 100;
        AtomicInteger readAtRest = new AtomicInteger();
        RunRepair small = run(1, false, follower.address());

        RepairReport report = new RepairClient(master.connect()).run(small, new RepairListener() {
            @Override
            public void progress(long windows, long rowsRead, long bytesRead, double covered) {
                while (readAtRest.get() == 0 && !isResting()) {
                    assertThat(Thread.interrupted()).isFalse();
                    Thread.onSpinWait();
                }
                readAtRest.compareAndSet(0, read.get());
            }
        });

        assertThat(readAtRest.get()).isLessThan(rows / 2);
        assertThat(report.rowsDiffering()).isEqualTo(rows + 2);
    }

    private static boolean isResting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getMethodName().equals("awaitHearing"));
    }

    @Test
    void shouldAnswerMalformedWhenRequestIsNone() throws IOException {
        MessageStream messages = master.connect().open(RepairVerb.RUN).messages();
        messages.write(1, ByteBuffer.wrap(new byte[] {RepairVerb.VERSION, 5, 5}));

        assertThatThrownBy(() -> Waiting.result(messages.read()))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(PeerException.MALFORMED));
    }

    @Test
    void shouldStopAndKeepNothingWhenClientDisconnects() throws IOException, InterruptedException {
        shouldStopAndKeepNothingWhen((connection, messages) -> connection.close());
    }

    @Test
    void shouldStopAndKeepNothingWhenClientResetsTheStream() throws IOException, InterruptedException {
        shouldStopAndKeepNothingWhen((connection, messages) -> messages.stream().reset(RepairCode.ABORTED, "enough"));
    }

    private void shouldStopAndKeepNothingWhen(BiConsumer<Connection, MessageStream> ending)
            throws IOException, InterruptedException {
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
        MessageStream messages = connection.open(RepairVerb.RUN).messages();
        ByteWriter out = new ByteWriter(64);
        out.writeByte(RepairVerb.VERSION);
        run(follower.address()).encode(out);
        messages.write(1, ByteBuffer.wrap(out.toByteArray()));
        assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();

        ending.accept(connection, messages);

        assertThat(own.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(followed.end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(own.stagedFiles()).isEmpty();
        assertThat(followed.stagedFiles()).isEmpty();
        assertThat(own.cursorsClosed).hasValue(own.cursorsOpened.get());
    }
}
