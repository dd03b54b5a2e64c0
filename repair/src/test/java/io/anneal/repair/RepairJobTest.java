package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.io.ByteWriter;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobProgress;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair as a job: what is tried again, told once, gone on with, and ended. */
@Timeout(60)
class RepairJobTest {
    private static final int ROWS = 40;

    @TempDir
    private Path directory;

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private StagingArea ownStaging;
    private StagingArea otherStaging;
    private TestTable own;
    private TestTable other;
    private Nodes server;
    private Nodes client;

    @BeforeEach
    void start() throws IOException {
        ownStaging = Sessions.staging(directory.resolve("own"));
        otherStaging = Sessions.staging(directory.resolve("other"));
        own = new TestTable("own", Sessions.rows(KEYS.get(0), ROWS), Optional.of(ownStaging));
        other = new TestTable("other", Sessions.rows(KEYS.get(1), ROWS), Optional.of(otherStaging));
        server = new Nodes((handlers, node) -> new RepairService(
                        Nodes.replicas(other.opener()), node.executor(), ByteBudget.of(64 << 20))
                .register(handlers));
        client = new Nodes((handlers, node) -> {});
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
        executor.shutdownNow();
        ownStaging.close();
        otherStaging.close();
    }

    /** By the clock of those who repair it. */
    private static Store openStore(Path place) throws IOException {
        return Store.open(
                place, StoreConfig.defaults(), HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100)));
    }

    private RepairEnvironment environment() {
        // Waits are asked for, the test need not wait so long.
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochSecond(100), System::nanoTime, nanos -> {
                    if (Thread.interrupted()) {
                        throw new InterruptedException("interrupted in sleep");
                    }
                })
                .withRandom(new Random(1));
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20));
    }

    private static Repair repair(RepairMember... members) {
        return repairOf(List.of("ks.t"), members);
    }

    private static Repair repairOf(List<String> tables, RepairMember... members) {
        return Repair.of(tables)
                .between(members)
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(1);
    }

    private RepairMember here(TestTable table) {
        return RepairMember.here(table.name(), table.opener());
    }

    private RepairMember remote(Connector connector) {
        return RepairMember.at(connector, RepairRunner.address(server.address()));
    }

    private DifferenceListener listener() {
        return new DifferenceListener() {
            @Override
            public void begins(TableSchema schema, List<String> replicas) {
                heard.add("begins " + schema.qualifiedName());
            }

            @Override
            public void deletionDiffers(DeletionDifference difference) {
                heard.add("deletion " + difference.key());
            }

            @Override
            public void rowDiffers(RowDifference difference) {
                ByteWriter out = new ByteWriter(64);
                difference.place().encode(out);
                heard.add(HexFormat.of().formatHex(out.toByteArray()));
            }
        };
    }

    private void nothingShouldBeLeft() throws IOException, InterruptedException {
        other.end.await();
        own.end.await();
        assertThat(own.stagedFiles()).isEmpty();
        assertThat(other.stagedFiles()).isEmpty();
        assertThat(own.cursorsClosed).hasValue(own.cursorsOpened.get());
        assertThat(other.cursorsClosed).hasValue(other.cursorsOpened.get());
    }

    @Test
    void shouldTellOfEachRowOnceWhenAPeerWasLostInMidRepair() throws IOException {
        Connector connector = client.client().keepAll(5_000);
        AtomicBoolean lost = new AtomicBoolean();
        List<RepairReport> reports = new ArrayList<>();
        own.beforeFragment = fragment -> {
            if (fragment == ROWS / 2 && lost.compareAndSet(false, true)) {
                connector.open(RepairRunner.address(server.address())).close();
            }
        };

        RepairReport report = repair(here(own), remote(connector))
                .dryRun(true)
                .differences(listener())
                .reports((unit, done) -> reports.add(done))
                .run(environment());

        assertThat(lost).isTrue();
        assertThat(own.opened).hasValue(2);
        assertThat(heard).doesNotHaveDuplicates().hasSize(1 + 2 * ROWS).startsWith("begins ks.t");
        assertThat(report.rowsDiffering()).isEqualTo(2 * ROWS);
        assertThat(reports).containsExactly(report);
    }

    /** Both keep what they received, and then the node with that address is lost, once. */
    private void bothKeepAllAndThenLose(Connector connector, String address) {
        FragmentList all = Sessions.rows(KEYS.subList(0, 2), ROWS);
        CountDownLatch ownKept = new CountDownLatch(1);
        own.afterComplete = () -> {
            own.rows = all;
            ownKept.countDown();
        };
        other.afterComplete = () -> {
            try {
                ownKept.await();
                if (other.rows != all) {
                    other.rows = all;
                    Connection connection = connector.open(RepairRunner.address(address));
                    connection.close();
                    // Else the last answer may come first, and nothing is lost.
                    while (connection.isOpen()) {
                        Thread.onSpinWait();
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        };
    }

    @Test
    void shouldNotCallEqualWhatALostAttemptMadeEqual() throws IOException {
        Connector connector = client.client().keepAll(5_000);
        bothKeepAllAndThenLose(connector, server.address());
        List<RepairReport> reports = new ArrayList<>();

        RepairReport report = repair(here(own), remote(connector))
                .differences(listener())
                .reports((unit, done) -> reports.add(done))
                .run(environment());

        assertThat(own.opened).hasValue(2);
        assertThat(report.wereEqual()).isFalse();
        assertThat(report.rowsDiffering()).isEqualTo(2 * ROWS);
        assertThat(report.sessionIds()).hasSize(2);
        assertThat(report.replicas().get(0).sstables()).hasSize(1);
        assertThat(report.replicas().get(0).rowsWritten()).isEqualTo(ROWS);
        assertThat(report.replicas().get(1).sstables()).isEmpty();
        assertThat(report.notes())
                .anyMatch(
                        note -> note.contains("lost before it said whether it kept") && note.contains("replica=other"));
        assertThat(reports).containsExactly(report);
        assertThat(heard)
                .filteredOn(line -> !line.startsWith("begins"))
                .hasSize(2 * ROWS)
                .doesNotHaveDuplicates();
    }

    @Test
    void shouldNotCallEqualWhatALostRunOfAnotherNodeMadeEqual() throws IOException {
        try (Nodes master = new Nodes((handlers, node) -> new RepairRunner(
                        node.id(), Nodes.replicas(own.opener()), node.client(), node.waiting(), environment())
                .register(handlers))) {
            Connector connector = client.client().keepAll(5_000);
            bothKeepAllAndThenLose(connector, master.address());

            RepairReport report = repair(
                            RepairMember.at(connector, RepairRunner.address(master.address())), remote(connector))
                    .run(environment());

            assertThat(own.opened).hasValue(2);
            assertThat(report.rowsDiffering()).isEqualTo(2 * ROWS);
            assertThat(report.wereEqual()).isFalse();
            assertThat(report.notes()).anyMatch(note -> note.contains("not among what was written"));
        }
    }

    @Test
    void shouldCountWhatDifferedBeforeADryRunWentOn() throws IOException {
        AtomicBoolean broken = new AtomicBoolean(true);
        List<RangeUnit> ended = new ArrayList<>();
        Repair repair = repair(here(own), RepairMember.here("other", (keyspace, table, staged) -> {
                    if (ended.size() == 3 && broken.get()) {
                        throw new ReplicaException("disk is away");
                    }
                    return other;
                }))
                .dryRun(true)
                .units(4)
                .differences(listener())
                .reports((unit, report) -> ended.add(unit))
                .checkpoint(directory.resolve("repair.checkpoint"));

        assertThatThrownBy(() -> repair.run(environment())).isInstanceOf(JobFailedException.class);
        broken.set(false);
        RepairReport report = repair.run(environment());

        assertThat(report.rowsDiffering()).isEqualTo(2 * ROWS);
        assertThat(report.wereEqual()).isFalse();
        assertThat(ended).hasSize(4).doesNotHaveDuplicates();
        assertThat(heard).filteredOn(line -> !line.startsWith("begins")).hasSize(2 * ROWS);
    }

    @Test
    void shouldTellOfDeletionsAndOfMoreThanMemoryHolds() throws IOException {
        byte[] wide = new byte[1 << 10];
        FragmentList.Builder rows = FragmentList.builder(Sessions.SCHEMA);
        rows.partition(KEYS.get(0), 7, 95);
        for (int i = 0; i < 3_000; i++) {
            rows.row(HandMadeTable.row(i, 0).live(8).cell(0, 9, wide).build());
        }
        TestTable large = new TestTable("large", rows.end().build(), Optional.empty());

        RepairReport report = repair(here(own), here(large))
                .dryRun(true)
                .bufferBytes(1 << 20)
                .differences(listener())
                .run(environment());

        assertThat(heard).hasSize(1 + (int) (report.rowsDiffering() + report.deletionsDiffering()));
        assertThat(heard).doesNotHaveDuplicates().anyMatch(line -> line.startsWith("deletion "));
    }

    @Test
    void shouldNotTryAgainWhatIsRefused() {
        other.beforeFragment = fragment -> {
            throw new IOException("disk is gone");
        };

        assertThatThrownBy(() -> repair(here(own), remote(client.client().keepAll(5_000)))
                        .run(environment()))
                .hasMessageContaining("disk is gone");
        assertThat(own.opened).hasValue(1);
    }

    @Test
    void shouldRepairTheOtherTablesWhenOneIsRefused() throws IOException {
        List<RangeUnit> ended = new ArrayList<>();
        ReplicaSource some = (keyspace, table, staged) -> {
            if (table.equals("gone")) {
                throw new ReplicaException("no such table, table=" + table);
            }
            return own.opener().open(keyspace, table, staged);
        };

        Repair repair = repairOf(List.of("ks.gone", "ks.t"), RepairMember.here(some), here(other))
                .dryRun(true)
                .parallel(2)
                .reports((unit, report) -> ended.add(unit));
        assertThatThrownBy(() -> repair.run(environment()))
                .isInstanceOfSatisfying(
                        JobFailedException.class,
                        failed -> assertThat(failed.failures()).singleElement().satisfies(failure -> {
                            assertThat(failure.unit()).startsWith("ks.gone ");
                            assertThat(failure.cause()).isInstanceOf(ReplicaException.class);
                        }));
        assertThat(ended).extracting(RangeUnit::table).containsExactly("ks.t");
    }

    @Test
    void shouldSumUpTheRangesOfATable() throws IOException {
        List<RepairReport> reports = new ArrayList<>();
        List<JobProgress> progress = new CopyOnWriteArrayList<>();

        RepairReport sum = repair(here(own), here(other))
                .units(8)
                .parallel(3)
                .progress(progress::add)
                .reports((unit, report) -> reports.add(report))
                .run(environment());

        assertThat(reports).hasSize(8);
        assertThat(sum.sessionIds()).hasSize(8).doesNotHaveDuplicates();
        assertThat(sum.rowsDiffering()).isEqualTo(2 * ROWS);
        assertThat(sum.replicas())
                .extracting(RepairReport.ReplicaReport::rowsWritten)
                .containsExactly((long) ROWS, (long) ROWS);
        assertThat(own.stagedLines()).isEqualTo(Sessions.rows(KEYS.get(1), ROWS).lines());
        JobProgress last = progress.get(progress.size() - 1);
        assertThat(last.unitsDone()).isEqualTo(8);
        assertThat(last.rows()).isEqualTo(ROWS);
        assertThat(last.secondsLeft()).hasValue(0);
    }

    @Test
    void shouldGoOnWithTheRangesThatAreNotDone() throws IOException {
        Path checkpoint = directory.resolve("repair.checkpoint");
        AtomicBoolean broken = new AtomicBoolean(true);
        ReplicaSource failing = (keyspace, table, staged) -> {
            if (own.opened.get() >= 2 && broken.get()) {
                throw new ReplicaException("disk is away");
            }
            return own.opener().open(keyspace, table, staged);
        };
        Repair repair =
                repair(RepairMember.here("own", failing), here(other)).units(4).checkpoint(checkpoint);
        RepairEnvironment environment = environment();

        assertThatThrownBy(() -> repair.run(environment))
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("done=2 of 4");
        assertThat(checkpoint).exists();
        broken.set(false);
        RepairReport rest = repair.run(environment);

        assertThat(rest.sessionIds()).hasSize(4);
        assertThat(rest.sessionIds())
                .as("of one run")
                .extracting(UUID::getMostSignificantBits)
                .containsOnly(rest.sessionIds().get(0).getMostSignificantBits());
        assertThat(rest.rowsDiffering()).isEqualTo(2 * ROWS);
        assertThat(rest.notes()).anyMatch(note -> note.contains("earlier run") && note.endsWith("ranges=2"));
        assertThat(own.opened)
                .as("two ranges before, two now, and whether its data is still there")
                .hasValue(5);
        assertThat(checkpoint).doesNotExist();
        assertThatThrownBy(() -> repair(RepairMember.here(own.opener()), here(other))
                        .checkpoint(checkpoint)
                        .run(environment()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        assertThat(Files.exists(checkpoint)).isFalse();
    }

    @Test
    void shouldLeaveNothingWhenItIsAborted() throws IOException, InterruptedException {
        JobControl control = new JobControl();
        own.beforeFragment = fragment -> {
            if (fragment == ROWS / 2) {
                control.abort("enough");
            }
        };

        assertThatThrownBy(() -> repair(here(own), remote(client.client().keepAll(5_000)))
                        .control(control)
                        .run(environment()))
                .isInstanceOf(JobAbortedException.class)
                .hasMessageContaining("enough");
        assertThat(Thread.interrupted()).isFalse();
        nothingShouldBeLeft();
    }

    @Test
    void shouldLeaveNothingWhenItIsInterrupted() throws IOException, InterruptedException {
        Thread thread = Thread.currentThread();
        other.beforeFragment = fragment -> {
            if (fragment == ROWS / 2) {
                thread.interrupt();
            }
        };

        assertThatThrownBy(() -> repair(here(own), here(other)).run(environment()))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        nothingShouldBeLeft();
    }

    @Test
    void shouldRestWhilePaused() throws Exception {
        JobControl control = new JobControl();
        CountDownLatch halfway = new CountDownLatch(1);
        own.beforeFragment = fragment -> {
            if (fragment == ROWS / 2) {
                control.pause();
                halfway.countDown();
            }
        };
        List<JobProgress> progress = new CopyOnWriteArrayList<>();
        var running = executor.submit(() -> repair(here(own), here(other))
                .dryRun(true)
                .control(control)
                .progress(progress::add)
                .run(environment()));
        halfway.await();
        while (progress.isEmpty() || !progress.get(progress.size() - 1).isPaused()) {
            Thread.onSpinWait();
        }

        assertThat(running.isDone()).isFalse();
        control.resume();
        assertThat(running.get().rowsDiffering()).isEqualTo(2 * ROWS);
    }

    /** The command that asked another node for the repair tries again what that node lost. */
    @Test
    void shouldTakeADamagedFrameForALostReplica() {
        RepairFailure failure = RepairFailure.of(
                new CorruptFrameException("follower", 0, "payload checksum is wrong"), "damaged", Optional.empty());

        assertThat(failure.exception("master").peerCode()).contains(PeerException.PEER_LOST);
    }

    @Test
    void shouldSayThatExecutorIsShutDownWhenItsNodeIsClosed() throws Exception {
        own.beforeFragment = fragment -> {
            if (fragment == ROWS / 2) {
                executor.shutdown();
            }
        };

        assertThatThrownBy(() -> repair(here(own), here(other)).run(environment()))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("takes no more work");
        nothingShouldBeLeft();
    }

    /** A step that was queued is dropped, and its future never done. */
    @Test
    @Timeout(60)
    void shouldSayThatExecutorIsShutDownWhenItDropsAStep() {
        ByteBudget budget = ByteBudget.of(64 << 20);
        ExecutorService dropping =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {
                    @Override
                    public void execute(Runnable step) {
                        shutdownNow();
                    }
                };

        assertThatThrownBy(() -> repair(here(own), here(other))
                        .run(new RepairEnvironment(environment().host(), dropping, budget)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("takes no more work");
        assertThat(budget.reservedBytes()).isZero();
    }

    /** Once, in the middle of a repair. */
    private void happens(TableEvent event) {
        AtomicBoolean happened = new AtomicBoolean();
        own.beforeFragment = fragment -> {
            if (fragment == ROWS / 2 && happened.compareAndSet(false, true)) {
                event.run();
            }
        };
    }

    private interface TableEvent {
        void run() throws IOException;
    }

    @Test
    void shouldNotBringBackWhatIsTruncatedMeanwhile() throws Exception {
        try (Store store = openStore(directory.resolve("store"))) {
            Table table = store.createTable(SchemaText.print(own.schema()));
            happens(table::truncate);

            assertThatThrownBy(() -> repair(here(own), RepairMember.here("store", new StoreReplicas(store)))
                            .run(environment()))
                    .isInstanceOfSatisfying(
                            RepairException.class,
                            refused -> assertThat(refused.waiver()).contains(Waiver.TRUNCATED));
            assertThat(table.sstableCount()).isZero();
        }
    }

    @Test
    void shouldBeginAgainWhenTableIsTruncated() throws Exception {
        try (Store store = openStore(directory.resolve("store"))) {
            Table table = store.createTable(SchemaText.print(own.schema()));
            happens(table::truncate);

            RepairReport report = repair(here(own), RepairMember.here("store", new StoreReplicas(store)))
                    .allow(Set.of(Waiver.TRUNCATED))
                    .run(environment());

            assertThat(report.rowsDiffering()).isEqualTo(ROWS);
            assertThat(table.sstableCount()).isPositive();
        }
    }

    @Test
    void shouldBeginAgainWhenTableOfAnotherNodeIsTruncated() throws Exception {
        try (Store store = openStore(directory.resolve("store"));
                Nodes node = new Nodes((handlers, its) -> new RepairService(
                                Nodes.replicas(new StoreReplicas(store)), its.executor(), ByteBudget.of(64 << 20))
                        .register(handlers))) {
            Table table = store.createTable(SchemaText.print(own.schema()));
            happens(table::truncate);

            RepairReport report = repair(
                            here(own),
                            RepairMember.at(client.client().keepAll(5_000), RepairRunner.address(node.address())))
                    .allow(Set.of(Waiver.TRUNCATED))
                    .run(environment());

            assertThat(report.rowsDiffering()).isEqualTo(ROWS);
            assertThat(table.sstableCount()).isPositive();
        }
    }

    @Test
    void shouldNameTableWhenItIsDropped() throws Exception {
        try (Store store = openStore(directory.resolve("store"))) {
            store.createTable(SchemaText.print(own.schema()));
            happens(() -> store.dropTable("ks.t"));

            assertThatThrownBy(() -> repair(here(own), RepairMember.here("store", new StoreReplicas(store)))
                            .run(environment()))
                    .isInstanceOf(RepairException.class)
                    .hasMessageContaining("dropped")
                    .hasMessageContaining("table=ks.t");
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    void shouldNameStoreWhenItIsClosed() throws Exception {
        try (Store store = openStore(directory.resolve("store"))) {
            store.createTable(SchemaText.print(own.schema()));
            happens(store::close);

            assertThatThrownBy(() -> repair(here(own), RepairMember.here("store", new StoreReplicas(store)))
                            .run(environment()))
                    .isInstanceOf(RepairException.class)
                    .hasMessageContaining("closed");
        }
    }

    /** A rate at which it would last for hours, and what happens while it is held up. */
    private RepairEnvironment heldUp(ExecutorService threads, TableEvent event) {
        AtomicBoolean happened = new AtomicBoolean();
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochSecond(100), System::nanoTime, nanos -> {
                    if (happened.compareAndSet(false, true)) {
                        try {
                            event.run();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                })
                .withRandom(new Random(1));
        return new RepairEnvironment(host, threads, ByteBudget.of(64 << 20));
    }

    @Test
    void shouldEndAtOnceWhenStoreIsClosedWhileItIsHeldUp() throws Exception {
        for (boolean isMaster : new boolean[] {false, true}) {
            try (Store store = openStore(directory.resolve("store-" + isMaster))) {
                store.createTable(SchemaText.print(own.schema()));
                RepairMember closing = RepairMember.here("store", new StoreReplicas(store));
                Repair repair = isMaster ? repair(closing, here(own)) : repair(here(own), closing);

                // A master's table that is empty reads nothing that a rate could hold up.
                if (isMaster) {
                    repair(closing, here(own)).run(environment());
                }
                assertThatThrownBy(() -> repair.bytesPerSecond(1).run(heldUp(executor, store::close)))
                        .as("master=%s", isMaster)
                        .isInstanceOf(RepairException.class)
                        .hasMessageContaining("closed");
            }
        }
    }

    @Test
    void shouldEndAtOnceWhenItsOwnThreadsEndWhileItIsHeldUp() {
        ExecutorService threads = Executors.newCachedThreadPool();
        assertThatThrownBy(
                        () -> repair(here(own), here(other)).bytesPerSecond(1).run(heldUp(threads, threads::shutdown)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("takes no more work");
    }

    @Test
    void shouldEndAtOnceWhenANodeIsLostWhileItIsHeldUp() {
        assertThatThrownBy(() -> repair(here(own), remote(client.client().keepAll(0)))
                        .bytesPerSecond(1)
                        .run(heldUp(executor, server::close)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(server.address().toString());
    }

    /** So that a job goes on with other tables, and a command says what to do. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellWhichTableUsesUpTheMemory(boolean atTheMaster) {
        (atTheMaster ? own : other).beforeFragment = fragment -> {
            throw new OutOfMemoryError("Java heap space");
        };

        assertThatThrownBy(() -> repair(here(own), here(other)).run(environment()))
                .isInstanceOfSatisfying(
                        RepairException.class,
                        full -> assertThat(full.peerCode()).contains(RepairCode.TOO_LARGE))
                .hasMessageContaining("memory is used up")
                .hasMessageContaining("table=ks.t");
    }

    @Test
    void shouldRefuseASettingWhereItIsMade() {
        Repair repair = repair(here(own), here(other));
        Map<String, Runnable> settings = Map.ofEntries(
                Map.entry("bufferBytes=0", () -> repair.bufferBytes(0)),
                Map.entry("units=0", () -> repair.units(0)),
                Map.entry("parallel=-1", () -> repair.parallel(-1)),
                Map.entry("parallel=257", () -> repair.parallel(257)),
                Map.entry("rowsPerSecond=-1", () -> repair.rowsPerSecond(-1)),
                Map.entry("bytesPerSecond=-1", () -> repair.bytesPerSecond(-1)),
                Map.entry("patience=PT-1S", () -> repair.patience(Duration.ofSeconds(-1))));
        settings.forEach((named, setting) -> assertThatThrownBy(setting::run)
                .as(named)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named));
        assertThat(repair.patience(ChronoUnit.FOREVER.getDuration())).isSameAs(repair);
    }

    @Test
    void shouldReadNoFasterThanItsRateHoweverManyRangesThereAreAtOnce() throws IOException {
        own = new TestTable("own", Sessions.rows(PacedRepair.KEYS, PacedRepair.KEY_ROWS), Optional.of(ownStaging));
        other = new TestTable("other", own.rows, Optional.of(otherStaging));
        PacedRepair paced = new PacedRepair(own);

        RepairReport report = paced.run(executor, here(own), here(other));

        assertThat(report.wereEqual()).isTrue();
        paced.assertPace();
    }

    /** What a replica reads behind the end of a session is read again in the next one. */
    @Test
    void shouldHaveNoReplicaReadMoreThanTheMasterAtARate() throws IOException {
        own = new TestTable("own", Sessions.rows(PacedRepair.KEYS, PacedRepair.KEY_ROWS), Optional.of(ownStaging));
        other = new TestTable("other", own.rows, Optional.of(otherStaging));
        PacedRepair paced = new PacedRepair(own);

        RepairReport report =
                paced.runInSessions(directory.resolve("repair.checkpoint"), executor, here(own), here(other));

        assertThat(report.sessionIds()).hasSizeGreaterThan(10);
        assertThat(report.replicas().get(1).rowsRead())
                .isEqualTo(report.replicas().get(0).rowsRead());
    }

    /** A full disk of the checkpoint ends the job: ranges that wait for a second pass do not hide it. */
    @Test
    void shouldSayThatNothingCanBeRecordedWhereAReplicaSeemsEmptyToo() throws IOException {
        own = new TestTable("own", Sessions.rows(KEYS, RepairConfig.MUCH_ITEMS), Optional.of(ownStaging));
        other = new TestTable("other", Sessions.rows(KEYS.subList(0, 1), 3), Optional.of(otherStaging));
        Path blocked = directory.resolve(".repair.checkpoint.new");
        int units = 64;
        int[] left = {units - (KEYS.size() - 1)};
        Repair repair = Repair.of("ks.t")
                .between(here(own), here(other))
                .range(TokenRange.FULL)
                .units(units)
                .checkpoint(directory.resolve("repair.checkpoint"))
                .reports((unit, report) -> {
                    left[0]--;
                    if (left[0] == 0) {
                        blocked.resolve("in the way").toFile().mkdirs();
                    }
                });

        assertThatThrownBy(() -> repair.run(environment()))
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("what is done can't be recorded");
    }

    /** Rows may be read for each difference that is told, which takes long. */
    @Test
    void shouldRepairPartsWhileAnotherIsTold() throws Exception {
        CountDownLatch isTold = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        own = new TestTable("own", Sessions.rows(HandMadeTable.keys(9), ROWS), Optional.of(ownStaging));
        other.rows = Sessions.rows(List.of(), 0);
        own.beforeFragment = fragment -> {
            if (isTold.getCount() == 0) {
                read.countDown();
            }
        };
        AtomicInteger sessions = new AtomicInteger();
        ReplicaSource opener = (keyspace, table, staged) -> {
            if (sessions.incrementAndGet() == 2) {
                Uninterruptibles.awaitUninterruptibly(isTold);
            }
            return own;
        };
        AtomicBoolean wasRead = new AtomicBoolean();

        repair(RepairMember.here("own", opener), here(other))
                .units(2)
                .parallel(2)
                .dryRun(true)
                .differences(new DifferenceListener() {
                    @Override
                    public void rowDiffers(RowDifference difference) {
                        if (isTold.getCount() == 1) {
                            isTold.countDown();
                            wasRead.set(Uninterruptibles.awaitUninterruptibly(read, 10, TimeUnit.SECONDS));
                        }
                    }
                })
                .run(environment());

        assertThat(wasRead).isTrue();
    }

    /** A part of the ring in which one replica lacks all is no sign that it is the wrong one, if it holds something elsewhere. */
    @Test
    void shouldTellAReplicaThatLacksAPartFromOneThatIsEmpty() throws IOException {
        own = new TestTable("own", Sessions.rows(KEYS, RepairConfig.MUCH_ITEMS), Optional.of(ownStaging));
        other = new TestTable("other", Sessions.rows(KEYS.subList(0, 1), 3), Optional.of(otherStaging));
        Repair repair = Repair.of("ks.t")
                .between(here(own), here(other))
                .range(TokenRange.FULL)
                .units(64)
                .parallel(2);

        // Ids of sessions differ.
        RepairEnvironment environment = environment();
        RepairReport report = repair.run(environment);

        assertThat(report.rowsDiffering()).isEqualTo((long) KEYS.size() * RepairConfig.MUCH_ITEMS - 3);
        FragmentList.Builder deletions = FragmentList.builder(Sessions.SCHEMA);
        deletions.partition(KEYS.get(0), 1, 95).end();
        other.rows = deletions.build();
        assertThat(repair.run(environment).deletionsDiffering())
                .as("it holds something: a deletion")
                .isPositive();
        other.rows = Sessions.rows(List.of(), 0);
        assertThatThrownBy(() -> repair.run(environment))
                .isInstanceOfSatisfying(
                        RepairException.class,
                        refused -> assertThat(refused.waiver()).contains(Waiver.EMPTY_REPLICA));
    }
}
