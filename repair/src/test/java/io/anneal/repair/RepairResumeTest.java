package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobRefusedException;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.repair.message.RepairCount;
import io.anneal.schema.SchemaText;
import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A repair with a checkpoint that is ended at any step and gone on with does as much as one that was not. */
@Timeout(60)
class RepairResumeTest extends TwoHalves {
    private static final int PARTITIONS = 60;
    private static final long ROWS = (long) PARTITION_ROWS * PARTITIONS;
    private static final Duration SESSION = Duration.ofMillis(100);
    /** What a session that is not done may have read, by the clock below. */
    private static final long SESSION_ROWS = 40;

    private final AtomicLong looks = new AtomicLong();
    private final AtomicInteger rowsRead = new AtomicInteger();
    private volatile long endsAtLook = Long.MAX_VALUE;
    private volatile BiConsumer<JobControl, String> ending = JobControl::abort;
    private volatile JobControl control = new JobControl();
    private int ends;

    RepairResumeTest() {
        super(PARTITIONS);
    }

    @Override
    TestTable table(String name, int half, StagingArea staging) {
        TestTable table = super.table(name, half, staging);
        table.beforeFragment = fragment -> rowsRead.incrementAndGet();
        return table;
    }

    /** A millisecond passes whenever somebody looks at the clock, on whichever side; at one such step the run is ended. */
    private RepairEnvironment environment() {
        HostEnvironment host = HostEnvironment.system()
                .withTime(
                        () -> Instant.ofEpochSecond(100),
                        () -> {
                            long look = looks.incrementAndGet();
                            if (look == endsAtLook) {
                                ending.accept(control, "ended at step " + look);
                            }
                            return TimeUnit.MILLISECONDS.toNanos(look);
                        },
                        nanos -> {});
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20));
    }

    private Path checkpoint() {
        return directory.resolve("repair.checkpoint");
    }

    @Override
    Repair repair(RepairMember... members) {
        control = new JobControl();
        return inSmallWindows(members).control(control).checkpoint(checkpoint()).sessionLeast(SESSION);
    }

    /** Goes on until it is through. */
    private RepairReport runEnded(Random random, int endings, Supplier<Repair> repairs) throws IOException {
        RepairEnvironment environment = environment();
        for (int i = 0; i < endings; i++) {
            endsAtLook = looks.get() + 1 + random.nextInt(400);
            try {
                return repairs.get().run(environment);
            } catch (JobAbortedException ended) {
                ends++;
                reopen();
            }
        }
        endsAtLook = Long.MAX_VALUE;
        return repairs.get().run(environment);
    }

    private void shouldHaveDoneEachTokenOnce() {
        assertThat(units.stream().mapToDouble(RangeUnit::width).sum())
                .isBetween(0.999 * TokenRange.FULL.width(), 1.001 * TokenRange.FULL.width());
    }

    private void shouldHaveReceived(TestTable table, int half, String seed) throws IOException {
        // What a session kept that was ended before it was recorded comes once more.
        assertThat(Set.copyOf(table.stagedLines())).as(seed).isEqualTo(Set.copyOf(lines(half)));
    }

    @Test
    void shouldDoTheRestWhereverItWasEnded() throws IOException {
        for (int round = 0; round < 3; round++) {
            long number = Long.getLong("anneal.seed", new Random().nextLong());
            String seed = "seed=" + number;
            Random random = new Random(number);
            if (round > 0) {
                stopAndStart(round);
            }
            int endings = 1 + random.nextInt(3);
            int parallel = 1 + random.nextInt(2);

            Map<RangeUnit, RepairReport> parts = new ConcurrentHashMap<>();
            RepairReport report = runEnded(
                    random,
                    endings,
                    () -> repairHere()
                            .parallel(parallel)
                            .splitLeast(Duration.ofMillis(50))
                            .reports((unit, part) -> {
                                // What was ended just before it was recorded is done once more.
                                parts.keySet()
                                        .removeIf(before -> !before.ranges()
                                                .within(unit.slice())
                                                .isEmpty());
                                parts.put(unit, part);
                            }));

            shouldHaveReceived(own, 1, seed);
            shouldHaveReceived(other, 0, seed);
            long lost = 0;
            for (RangeUnit unit : parts.keySet()) {
                lost += shouldTellWhatItsAttemptsDid(unit, parts.get(unit), seed) - 1;
            }
            assertThat(lost).as(seed).isBetween(0L, (long) endings * parallel);
            assertThat(report.rowsDiffering()).as(seed).isEqualTo(ROWS);
            RepairReport sum = RepairReport.sum(List.copyOf(parts.values()), false);
            assertThat(report.counts()).as(seed).isEqualTo(sum.counts());
            for (int i = 0; i < 2; i++) {
                RepairReport.ReplicaReport replica = report.replicas().get(i);
                assertThat(replica.counts())
                        .as(seed)
                        .isEqualTo(sum.replicas().get(i).counts());
                assertThat(replica.rowsRead())
                        .as(seed)
                        .isBetween(
                                ROWS / 2,
                                ROWS / 2
                                        + lost * SESSION_ROWS
                                        + 4L * report.sessionIds().size());
                assertThat(replica.sstables())
                        .as(seed)
                        .containsExactlyInAnyOrderElementsOf(
                                sum.replicas().get(i).sstables());
            }
            assertThat(report.replicas().get(0).sstables()).as(seed).doesNotHaveDuplicates();
            assertThat(report.coveredUntilSeconds()).as(seed).isEqualTo(100);
            assertThat(report.sessionIds())
                    .as(seed)
                    .extracting(UUID::getMostSignificantBits)
                    .containsOnly(report.sessionIds().get(0).getMostSignificantBits());
            assertThat(ownStaging.sstables(
                            own.schema(), own.schema().id(), report.sessionIds().get(0)))
                    .as(seed)
                    .extracting(Object::toString)
                    .containsAll(report.replicas().get(0).sstables());
            assertThat((long) report.sessionIds().size()).as(seed).isGreaterThan(2);
            long twice = rowsRead.get() - fragments();
            assertThat(twice)
                    .as("read twice, " + seed)
                    .isLessThanOrEqualTo(endings * parallel * 2 * SESSION_ROWS
                            + 8L * report.sessionIds().size());
            assertThat(checkpoint()).as(seed).doesNotExist();
        }
    }

    /**
     * What was given in a last step that was ended is given once more, all of it, and both are told.
     *
     * @return how many attempts there were
     */
    private long shouldTellWhatItsAttemptsDid(RangeUnit unit, RepairReport part, String seed) {
        String what = seed + ", unit=" + unit;
        assertThat(part.rowsDiffering()).as(what).isEqualTo(rowsIn(unit, 0) + rowsIn(unit, 1));
        long given = part.itemsFetched() + part.itemsPushed();
        if (part.rowsDiffering() == 0) {
            assertThat(given).as(what).isZero();
            return 1;
        }
        long attempts = given / part.rowsDiffering();
        assertThat(given).as(what).isEqualTo(attempts * part.rowsDiffering());
        assertThat(attempts > 1)
                .as(what)
                .isEqualTo(
                        part.sessionIds().size() > 1 || part.notes().stream().anyMatch(note -> note.contains("lost")));
        for (RepairReport.ReplicaReport replica : part.replicas()) {
            long lacked = rowsIn(unit, 1 - replica.member());
            assertThat(replica.rowsWritten()).as(what).isBetween(lacked, attempts * lacked);
            assertThat(lacked == 0 ? 0 : replica.rowsWritten() % lacked)
                    .as(what)
                    .isZero();
        }
        return attempts;
    }

    private long rowsIn(RangeUnit unit, int half) {
        return PARTITION_ROWS
                * keys(half).stream()
                        .filter(key -> unit.ranges().ranges().stream().anyMatch(range -> range.contains(key.token())))
                        .count();
    }

    /** Nothing is found, sent or kept twice, whenever it is stopped, and no more read twice than at any session's end. */
    @Test
    void shouldLoseNothingWhenItIsStopped() throws IOException {
        ending = JobControl::stop;
        for (int round = 0; round < 3; round++) {
            long number = Long.getLong("anneal.seed", new Random().nextLong());
            String seed = "seed=" + number;
            Random random = new Random(number);
            if (round > 0) {
                stopAndStart(round);
            }
            int parallel = 1 + random.nextInt(2);

            RepairReport report = runEnded(
                    random,
                    3,
                    () -> repairHere()
                            .parallel(parallel)
                            .splitLeast(Duration.ofMillis(50))
                            .sessionLeast(Duration.ofHours(1)));

            assertThat(ends)
                    .as("one takes more steps than those up to the last stop, " + seed)
                    .isEqualTo(3 * (round + 1));
            assertThat(own.stagedLines()).as(seed).containsExactlyInAnyOrderElementsOf(lines(1));
            assertThat(other.stagedLines()).as(seed).containsExactlyInAnyOrderElementsOf(lines(0));
            assertThat(report.rowsDiffering()).as(seed).isEqualTo(ROWS);
            assertThat(report.itemsFetched() + report.itemsPushed()).as(seed).isEqualTo(ROWS);
            assertThat(report.notes()).as(seed).noneMatch(note -> note.contains("lost"));
            assertThat(rowsRead.get() - fragments())
                    .as("read twice, " + seed)
                    .isLessThanOrEqualTo(8L * report.sessionIds().size());
        }
    }

    private long fragments() {
        return own.rows.fragments().size() + (long) other.rows.fragments().size();
    }

    private void stopAndStart(int round) throws IOException {
        openAnew("" + round);
        units.clear();
        rowsRead.set(0);
    }

    @Test
    void shouldGoOnBetweenStores() throws IOException {
        long number = Long.getLong("anneal.seed", new Random().nextLong());
        HostEnvironment clock = HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100));
        String table =
                SchemaText.print(own.schema()).replace("WITH ", "WITH id = 11111111-2222-1333-8444-555555555555 AND ");
        try (Store one = Store.open(directory.resolve("one"), StoreConfig.defaults(), clock);
                Store two = Store.open(directory.resolve("two"), StoreConfig.defaults(), clock)) {
            one.createTable(table);
            two.createTable(table);
            Supplier<RepairMember[]> members = () -> new RepairMember[] {
                RepairMember.here("one", new StoreReplicas(one)),
                RepairMember.here("two", new StoreReplicas(two)),
                RepairMember.here("own", own.opener()),
                RepairMember.here("other", other.opener())
            };

            RepairReport report = runEnded(new Random(number), 2, () -> repair(members.get()));

            assertThat(report.rowsDiffering()).as("seed=" + number).isEqualTo(ROWS);
            RepairReport compared =
                    repair(members.get()[0], members.get()[1]).dryRun(true).run(environment());
            assertThat(compared.wereEqual()).as("seed=" + number).isTrue();
            assertThat(compared.replicas().get(0).rowsRead())
                    .as("seed=" + number)
                    .isBetween(ROWS, 2 * ROWS);
        }
    }

    private interface OverNodes {
        void run(RepairMember master, RepairMember follower) throws IOException;
    }

    /** Another node is the master, and this process asks it. */
    private void overNodes(OverNodes work) throws IOException {
        try (Nodes follower = new Nodes((handlers, node) -> new RepairService(
                                Nodes.replicas(other.opener()), node.executor(), ByteBudget.of(64 << 20))
                        .register(handlers));
                Nodes master = new Nodes((handlers, node) -> new RepairRunner(
                                node.id(),
                                Nodes.replicas(own.opener()),
                                node.client().keepAll(5_000),
                                node.waiting(),
                                environment())
                        .register(handlers));
                Nodes command = new Nodes((handlers, node) -> {})) {
            Connector connector = command.client().keepAll(5_000);
            work.run(
                    RepairMember.at(connector, RepairRunner.address(master.address())),
                    RepairMember.at(connector, RepairRunner.address(follower.address())));
        }
    }

    @Test
    void shouldEndSessionsByTimeWhereAnotherNodeIsMaster() throws IOException {
        overNodes((master, follower) -> {
            RepairReport report = repair(master, follower).run(environment());

            assertThat(report.rowsDiffering()).isEqualTo(ROWS);
            assertThat(report.sessionIds()).hasSizeGreaterThan(2);
        });
        shouldHaveReceived(own, 1, "");
        shouldHaveReceived(other, 0, "");
        shouldHaveDoneEachTokenOnce();
    }

    @Test
    void shouldEndTheSessionOfAnotherNodeSoonWhenItIsStopped() throws IOException {
        AtomicInteger ownRead = new AtomicInteger();
        own.beforeFragment = fragment -> {
            if (ownRead.incrementAndGet() == 20) {
                control.stop("stopped by its operator");
            }
        };
        overNodes((master, follower) -> {
            // By this rate the asker hears of each window before the next one.
            Supplier<Repair> repairs = () ->
                    repair(master, follower).sessionLeast(Duration.ofHours(1)).rowsPerSecond(1_000_000);

            assertThatThrownBy(() -> repairs.get().run(environment()))
                    .isInstanceOf(JobAbortedException.class)
                    .hasMessageContaining("stopped by its operator");

            assertThat(units).hasSize(1);
            int stagedBefore = other.stagedLines().size();
            assertThat(stagedBefore).isBetween(1, 30);
            RepairReport report = repairs.get().run(environment());
            assertThat(report.rowsDiffering()).isEqualTo(ROWS);
            assertThat(report.sessionIds()).hasSize(2);
        });
        assertThat(own.stagedLines()).containsExactlyInAnyOrderElementsOf(lines(1));
        assertThat(other.stagedLines()).containsExactlyInAnyOrderElementsOf(lines(0));
    }

    @Test
    void shouldNotGoOnWithAnotherTableOfAnotherNode() throws IOException {
        withTableId("00000000000000000000000000000001");
        overNodes((master, follower) -> {
            assertThatThrownBy(() -> repair(master, follower)
                            .reports((unit, report) -> control.abort("one part is done"))
                            .run(environment()))
                    .isInstanceOf(JobAbortedException.class);
            withTableId("00000000000000000000000000000002");
            int before = own.stagedFiles().size();

            assertThatThrownBy(() -> repair(master, follower).run(environment()))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining("made again since the run began")
                    .hasMessageContaining("file=" + checkpoint());
            assertThat(own.stagedFiles()).as("nothing more is kept").hasSize(before);
        });
    }

    /** Of a table that is not done, parts alone are told, each by what it is; of one that is done, the range that was asked for. */
    @Test
    void shouldReportPartsByTheirOwnRangesUntilTheTableIsDone() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean(true);
        List<TokenRange> compared = new ArrayList<>();
        List<RepairReport> unfinished = new ArrayList<>();
        List<RepairReport> tables = new ArrayList<>();
        isFullAtThirdSession(other, isFull);
        Supplier<Repair> repairs = () -> repairHere()
                .reports((unit, report) -> {
                    units.add(unit);
                    report.ranges().forEach(range -> compared.add(range.range()));
                })
                .unfinishedReports((table, report) -> unfinished.add(report))
                .tableReports((table, report) -> tables.add(report));

        assertThatThrownBy(() -> repairs.get().run(environment())).hasMessageContaining("No space left");

        assertThat(units).hasSize(2);
        long end = units.get(1).slice().right();
        assertThat(compared)
                .containsExactly(
                        new TokenRange(Long.MIN_VALUE, units.get(0).slice().right()),
                        new TokenRange(units.get(0).slice().right(), end));
        assertThat(unfinished).singleElement().satisfies(report -> {
            List<TokenRange> unkept = report.replicas().get(1).unkept().get(0).ranges();
            assertThat(unkept).extracting(TokenRange::left).containsExactly(end);
            assertThat(report.ranges())
                    .extracting(RangeReport::range)
                    .containsExactly(compared.get(0), compared.get(1), unkept.get(0));
            assertThat(report.coveredUntilSeconds()).isZero();
        });
        assertThat(tables).isEmpty();
        isFull.set(false);
        reopen();
        RepairReport report = repairs.get().run(environment());
        // The last units may have no rows.
        assertThat(units.stream().flatMap(unit -> unit.ranges().ranges().stream()))
                .startsWith(compared.toArray(TokenRange[]::new));
        assertThat(tables).singleElement().extracting(RepairReport::ranges).isEqualTo(report.ranges());
        assertThat(report.ranges()).singleElement().satisfies(range -> {
            assertThat(range.range()).isEqualTo(TokenRange.FULL);
            assertThat(range.rowsCompared()).isEqualTo(ROWS);
        });
    }

    private void isFullAtThirdSession(TestTable table, AtomicBoolean isFull) {
        AtomicInteger completed = new AtomicInteger();
        table.beforeComplete = () -> {
            if (isFull.get() && completed.incrementAndGet() == 3) {
                throw new IOException("No space left on device");
            }
        };
    }

    /** Also what one replica kept, and another did not, of a part that failed in its last step before the run was killed. */
    @Test
    void shouldTellWhatAllRunsDidWhereATableIsNotDone() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean(true);
        List<RepairReport> unfinished = new ArrayList<>();
        isFullAtThirdSession(other, isFull);
        Supplier<Repair> repairs = () -> repairHere().unfinishedReports((table, report) -> unfinished.add(report));
        assertThatThrownBy(() -> repairs.get().run(environment())).hasMessageContaining("No space left");
        isFull.set(false);
        RepairReport first = unfinished.get(0);
        assertThat(first.replicas().get(1).unkept()).hasSize(1);
        reopen();

        ReplicaSource gone = (keyspace, table, staged) -> {
            throw new IOException("not there now");
        };
        assertThatThrownBy(() -> repair(RepairMember.here("own", gone), RepairMember.here("other", other.opener()))
                        .unfinishedReports((table, report) -> unfinished.add(report))
                        .run(environment()))
                .hasMessageContaining("not there now");

        assertThat(unfinished).hasSize(2);
        assertThat(unfinished.get(1)).isEqualTo(first);
        RepairReport report = repairs.get().run(environment());
        assertThat(unfinished).hasSize(2);
        assertThat(report.sessionIds()).containsAll(first.sessionIds()).doesNotHaveDuplicates();
        assertThat(report.replicas().get(0).sstables())
                .containsAll(first.replicas().get(0).sstables())
                .doesNotHaveDuplicates();
        assertThat(report.replicas().get(1).unkept()).isEmpty();
        assertThat(report.rowsDiffering()).isEqualTo(ROWS);
        assertThat(report.notes())
                .filteredOn(note -> note.contains("was given it again"))
                .singleElement()
                .satisfies(note -> assertThat(note).endsWith("replica=own"));
        assertThat(report.replicas().get(0).rowsWritten())
                .as("twice what it kept then")
                .isGreaterThan(ROWS / 2);
        shouldHaveReceived(own, 1, "");
        shouldHaveReceived(other, 0, "");
    }

    @Test
    void shouldTellOfATableThatWasDoneBefore() throws IOException {
        List<RepairReport> tables = new ArrayList<>();
        endsAtLook = 500;
        RepairEnvironment environment = environment();
        Repair first = Repair.of("ks.t", "ks.gone")
                .between(
                        RepairMember.here("own", (keyspace, table, staged) -> {
                            if (table.equals("gone")) {
                                throw new IOException("not there now");
                            }
                            return own;
                        }),
                        RepairMember.here("other", other.opener()))
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .checkpoint(checkpoint())
                .tableReports((table, report) -> tables.add(report));

        assertThatThrownBy(() -> first.run(environment)).hasMessageContaining("not there now");
        int readBefore = rowsRead.get();
        assertThatThrownBy(() -> first.run(environment)).hasMessageContaining("not there now");

        assertThat(rowsRead.get())
                .as("one of each, which tells that it has rows still")
                .isEqualTo(readBefore + 2);
        assertThat(tables).hasSize(2);
        assertThat(tables.get(1)).isEqualTo(tables.get(0));
        assertThat(tables.get(1).counts().of(RepairCount.ROWS_DIFFERING)).isEqualTo(ROWS);
    }

    private void withTableId(String id) {
        for (TestTable table : List.of(own, other)) {
            FragmentList.Builder rows = FragmentList.builder(Sessions.SCHEMA.withId(id));
            table.rows.fragments().forEach(rows::add);
            table.rows = rows.build();
        }
    }

    /** What a replica did not keep of it must be found again, and what comes after it has not been found at all. */
    @Test
    void shouldDoNeitherMoreNorLessAfterAnAttemptThatWasLost() throws IOException {
        CountDownLatch ownKept = new CountDownLatch(1);
        AtomicBoolean lost = new AtomicBoolean();
        own.afterComplete = ownKept::countDown;
        try (Nodes follower = new Nodes((handlers, node) -> new RepairService(
                                Nodes.replicas(other.opener()), node.executor(), ByteBudget.of(64 << 20))
                        .register(handlers));
                Nodes master = new Nodes((handlers, node) -> {})) {
            Connector connector = master.client().keepAll(5_000);
            other.afterComplete = () -> {
                try {
                    ownKept.await();
                    if (lost.compareAndSet(false, true)) {
                        Connection connection = connector.open(RepairRunner.address(follower.address()));
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
            List<RepairReport> reports = new ArrayList<>();

            RepairReport report = repair(
                            RepairMember.here("own", own.opener()),
                            RepairMember.at(connector, RepairRunner.address(follower.address())))
                    .reports((unit, done) -> {
                        units.add(unit);
                        reports.add(done);
                    })
                    .run(environment());

            assertThat(lost).isTrue();
            shouldHaveDoneEachTokenOnce();
            assertThat(units).hasSizeGreaterThan(2);
            assertThat(reports.get(0).notes()).anyMatch(note -> note.contains("lost"));
            assertThat(reports.get(0).rowsDiffering()).isBetween(1L, ROWS / 2);
            assertThat(report.rowsDiffering()).isEqualTo(ROWS);
        }
        shouldHaveReceived(own, 1, "");
        shouldHaveReceived(other, 0, "");
    }

    @Test
    void shouldRefuseToGoOnByAnotherIdOrWithAnotherTable() throws IOException {
        withTableId("00000000000000000000000000000001");
        endsAtLook = looks.get() + 300;
        RepairEnvironment environment = environment();
        assertThatThrownBy(() -> repairHere().runId(new UUID(3, 4)).run(environment))
                .isInstanceOf(JobAbortedException.class);
        assertThat(units).isNotEmpty();

        assertThatThrownBy(() -> repairHere().runId(new UUID(4, 4)).run(environment))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("another id");
        withTableId("00000000000000000000000000000002");
        assertThatThrownBy(() -> repairHere().runId(new UUID(3, 4)).run(environment))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("made again since the run began")
                .hasMessageContaining("remove the checkpoint")
                .hasMessageContaining("file=" + checkpoint());
        withTableId("00000000000000000000000000000001");
        RepairReport report = repairHere().runId(new UUID(3, 4)).run(environment);

        assertThat(report.sessionIds()).extracting(UUID::getMostSignificantBits).containsOnly(3L);
    }
}
