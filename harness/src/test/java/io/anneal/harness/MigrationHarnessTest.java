package io.anneal.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Faults;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.MemoryPartitionDao;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole walks in a time that passes only while somebody waits. */
final class MigrationHarnessTest {
    private static final String NAME = "orders";
    private static final int KEYS = 20;

    @TempDir
    private Path directory;

    private final MemoryPhaseStore phases = new MemoryPhaseStore();
    private final FaultyPhases faulty = new FaultyPhases(phases);
    private final List<String> lines = new ArrayList<>();
    private final List<Runnable> whileWaiting = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-21T12:00:00Z");
    private MemoryPartitionDao origin;
    private MemoryPartitionDao target;
    private DualDao<PartitionDao> dual;
    private DualEnvironment time;

    @BeforeEach
    void setUp() {
        origin = new MemoryPartitionDao("origin", () -> now, new Faults(new SplittableRandom(1)), Delayer.NONE);
        target = new MemoryPartitionDao("target", () -> now, new Faults(new SplittableRandom(2)), Delayer.NONE);
        phases.create(NAME, PhaseRecord.first("ada", now, "begin"));
        time = environment(this::sleep);
        dual = DualDao.builder(PartitionDao.class)
                .name(NAME)
                .instance("node-1")
                .origin(origin)
                .target(target)
                .mode(Mode.MIGRATION)
                .phases(faulty.store())
                .withoutDirectory()
                .copy(KeyCodec.LONG, PartitionCopy.between(origin, target))
                .identity(PartitionDao::identity)
                .environment(time)
                .quietWindow(Duration.ofSeconds(5))
                .poll(Duration.ofHours(1))
                .build();
    }

    private DualEnvironment environment(PhaseControl.Sleeper sleeper) {
        return new DualEnvironment(
                () -> now, this::nanoTime, sleeper, DualEnvironment.system().threads());
    }

    private long nanoTime() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }

    private void sleep(Duration duration) {
        now = now.plus(duration);
        dual.poll();
        dual.redrive();
        List.copyOf(whileWaiting).forEach(Runnable::run);
    }

    @AfterEach
    void tearDown() {
        dual.close();
    }

    private static KeySource<Long> keys() {
        return KeySource.of(
                "keys 0 to 19 alone", () -> LongStream.range(0, KEYS).iterator());
    }

    private RunWorks works() {
        Duration delay = Duration.ofMillis(100);
        return RunWorks.ofKeys(dual, List.of(keys()), "ada", delay, Duration.ofMinutes(1), Optional.empty());
    }

    private RunWorks works(WalkWork backfill, WalkWork verification) {
        return new RunWorks(backfill, verification, works().reverse(), Optional.empty());
    }

    private MigrationHarness harness() {
        return MigrationHarness.of(dual)
                .who("ada")
                .bake(Duration.ofSeconds(2))
                .gateTimeout(Duration.ofMinutes(1))
                .keys(keys())
                .tell(lines::add)
                .environment(time);
    }

    private void write(long key, String value) {
        dual.dao()
                .write(key, List.of(new Item("name", "0", value)))
                .toCompletableFuture()
                .join();
    }

    private static String read(PartitionDao dao, long key) {
        Partition partition = dao.read(key).toCompletableFuture().join();
        return partition == null ? null : partition.items().get(0).d();
    }

    private void fill() {
        for (long key = 0; key < KEYS; key++) {
            write(key, "first");
        }
    }

    @Test
    void shouldWalkToPhase5AndLeaveEverythingInTheTarget() throws IOException, InterruptedException {
        fill();
        Path report = directory.resolve("story.html");
        WalkResult result = harness().report(report).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.COMPLETED);
        assertThat(dual.phase().phase()).isEqualTo(Phase.TARGET_ONLY);
        for (long key = 0; key < KEYS; key++) {
            assertThat(read(target, key)).isEqualTo("first");
        }
        assertThat(String.join("\n", lines))
                .containsSubsequence(
                        "Phase 1",
                        "Phase 2",
                        "back-fill",
                        "20 keys copied",
                        "verification",
                        "Phase 3",
                        "Phase 4",
                        "Phase 5",
                        "COMPLETED");
        assertThat(Files.readString(report)).contains("to phase 5");
    }

    @Test
    void shouldWatchEachPhaseAsLongAsItWasTold() throws IOException, InterruptedException {
        harness().bake(Duration.ofSeconds(20)).walk();
        List<PhaseRecord> history = phases.history(NAME);
        for (int i = 1; i < history.size(); i++) {
            assertThat(Duration.between(history.get(i - 1).at(), history.get(i).at()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        }
        assertThat(history).extracting(entered -> Walk.bakesBefore5(entered)).containsExactly(5, 4, 3, 2, 1, 0);
    }

    @Test
    void shouldTurnBackWhenAGateStaysShut() throws IOException, InterruptedException {
        fill();
        WalkWork backfill = () -> {
            String copied = works().backfill().run();
            target.delete(3).toCompletableFuture().join();
            return copied;
        };
        WalkResult result =
                harness().works(works(backfill, works().verification())).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).contains("verification", "mismatches");
        assertThat(dual.phase().phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(read(dual.dao(), 3)).isEqualTo("first");
    }

    @Test
    void shouldTurnBackWhenTheTargetLosesWhatIsCopied() throws IOException, InterruptedException {
        fill();
        target.faults().lossy(1);
        WalkResult result = harness().walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).contains("back-fill", "sides differ after copying");
    }

    @Test
    void shouldSayWhichKeysItLookedAt() throws IOException, InterruptedException {
        fill();
        harness().walk();
        assertThat(phases.notes(NAME))
                .filteredOn(
                        note -> note.kind() == PhaseNote.Kind.BACKFILL || note.kind() == PhaseNote.Kind.VERIFICATION)
                .isNotEmpty()
                .allSatisfy(note -> assertThat(note.facts().get(Facts.TEXT)).contains("keys 0 to 19 alone"));
        assertThat(String.join("\n", lines)).contains("keys 0 to 19 alone");
    }

    @Test
    void shouldTurnBackWhenNobodyCanDoWhatAGateAsksFor() throws IOException, InterruptedException {
        WalkResult result =
                MigrationHarness.of(dual).bake(Duration.ZERO).environment(time).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).contains("back-fill", "given none");
    }

    @Test
    void shouldBringBackWhatWasWrittenSincePhase4WhenItTurnsBackFromThere() throws IOException, InterruptedException {
        fill();
        whileWaiting.add(() -> {
            if (dual.phase().phase() == Phase.WRITE_TARGET) {
                write(7, "written in phase 4");
                dual.dao().delete(8).toCompletableFuture().join();
            }
        });
        WalkResult result = harness()
                .turnBackIf(() -> "written in phase 4".equals(read(target, 7))
                        ? Optional.of("somebody changed their mind")
                        : Optional.empty())
                .walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).isEqualTo("somebody changed their mind");
        assertThat(dual.phase().phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(dual.phase().highest()).isEqualTo(Phase.WRITE_TARGET);
        assertThat(read(dual.dao(), 7)).isEqualTo("written in phase 4");
        assertThat(read(dual.dao(), 8)).isNull();
        assertThat(String.join("\n", lines)).contains("reverse back-fill");
    }

    @Test
    void shouldStayWhereItIsWhenAnInstanceIsSilentAndSayWhich() throws IOException, InterruptedException {
        whileWaiting.add(() -> {
            if (dual.phase().phase() == Phase.WRITE_BOTH) {
                phases.heartbeat(NAME, new Heartbeat("node-2", 1, true, now, Map.of("kind", "dao")));
            }
        });
        WalkResult result = harness().walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.STUCK);
        assertThat(result.reason()).contains("node-2");
        assertThat(dual.control().current().phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldTurnBackWhenTheWholeTakesTooLong() throws IOException, InterruptedException {
        WalkResult result = harness().atMost(Duration.ofSeconds(3)).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).contains("3s");
    }

    @Test
    void shouldLeaveThePhaseWhenInterrupted() {
        DualEnvironment interrupted = environment(duration -> {
            if (dual.phase().phase() == Phase.WRITE_BOTH) {
                throw new InterruptedException("stopped");
            }
            sleep(duration);
        });
        assertThatThrownBy(() -> harness().environment(interrupted).walk()).isInstanceOf(InterruptedException.class);
        assertThat(dual.control().current().phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldReadAllKeysFromTheTargetBeforePhase4() throws IOException, InterruptedException {
        fill();
        whileWaiting.add(() -> {
            PhaseRecord current = dual.control().current();
            if (current.phase() == Phase.READ_TARGET && current.readSharePercent() == 100 && current.version() == 3) {
                dual.control().readShare(10, "ben", "carefully");
            }
        });
        assertThat(harness().walk().outcome()).isEqualTo(WalkResult.Outcome.COMPLETED);
        assertThat(phases.history(NAME))
                .extracting(PhaseRecord::readSharePercent)
                .contains(10);
    }

    private static Heartbeat node2(long version, Instant at) {
        return new Heartbeat(
                "node-2",
                version,
                true,
                at,
                Map.of(Facts.KIND, "dao", Facts.MODE, "MIGRATION", Facts.DIRTY_TARGET, "0", Facts.DIRTY_ORIGIN, "0"));
    }

    /** In phase 3, once: somebody goes back on the page. */
    private void rollBackInPhase3() {
        PhaseRecord current = dual.control().current();
        if (current.phase() == Phase.READ_TARGET && dual.control().acknowledged()) {
            dual.control().rollback("ben", "too slow");
            whileWaiting.clear();
        }
    }

    private List<Phase> walked() {
        return phases.history(NAME).stream().map(PhaseRecord::phase).toList();
    }

    @Test
    void shouldLeaveThePhaseToThoseWhoWentBackMeanwhile() throws IOException, InterruptedException {
        whileWaiting.add(this::rollBackInPhase3);
        WalkResult result = harness().walk();
        assertThat(walked()).containsExactly(Phase.ORIGIN_ONLY, Phase.WRITE_BOTH, Phase.READ_TARGET, Phase.WRITE_BOTH);
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.STUCK);
        assertThat(result.reason()).contains("ben", "too slow");
    }

    @Test
    void shouldNotGoOnBackWhereSomebodyElseChangedThePhase() throws IOException, InterruptedException {
        whileWaiting.add(this::rollBackInPhase3);
        WalkResult result = harness()
                .turnBackIf(() -> whileWaiting.isEmpty() ? Optional.of("answers are wrong") : Optional.empty())
                .walk();
        assertThat(dual.control().current().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.STUCK);
        assertThat(result.reason()).contains("answers are wrong", "ben", "too slow");
    }

    @Test
    void shouldWatchAPhaseThatTheStoreEnteredWithoutSayingSo() throws IOException, InterruptedException {
        faulty.loseAnswer("compareAndSet"::equals);
        WalkResult result = harness().bake(Duration.ofSeconds(20)).walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.COMPLETED);
        List<PhaseRecord> history = phases.history(NAME);
        for (int i = 1; i < history.size(); i++) {
            assertThat(Duration.between(history.get(i - 1).at(), history.get(i).at()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        }
    }

    @Test
    void shouldGoBackAllTheWayWhenTheStoreDoesNotSayThatItWent() throws IOException, InterruptedException {
        faulty.loseAnswer("compareAndSet"::equals);
        WalkResult result = harness()
                .turnBackIf(() -> dual.phase().phase() == Phase.WRITE_TARGET
                        ? Optional.of("somebody changed their mind")
                        : Optional.empty())
                .walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(dual.control().current().phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldGoOnWhenAVerificationPassesTheNextTime() throws IOException, InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        WalkWork verification = () -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IOException("sides differ, mismatches=1");
            }
            return works().verification().run();
        };
        WalkResult result =
                harness().works(works(works().backfill(), verification)).walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.COMPLETED);
        assertThat(walked()).isSorted();
        assertThat(lines).anyMatch(line -> line.contains("failed: sides differ"));
    }

    @Test
    void shouldWaitBetweenAttemptsAsLongAsAGateMayStayShut() throws IOException, InterruptedException {
        List<Instant> attempts = new ArrayList<>();
        WalkWork backfill = () -> {
            attempts.add(now);
            throw new IllegalStateException("no host was reachable");
        };
        WalkResult result =
                harness().works(works(backfill, works().verification())).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.ROLLED_BACK);
        assertThat(result.reason()).contains("back-fill failed", "no host was reachable");
        assertThat(attempts).hasSize(3);
        assertThat(Duration.between(attempts.get(0), attempts.get(2))).isGreaterThanOrEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void shouldWaitForAPhaseStoreThatCannotBeAsked() throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(3);
        AtomicBoolean working = new AtomicBoolean();
        Thread walker = Thread.currentThread();
        whileWaiting.add(() ->
                faulty.lose(call -> Thread.currentThread() == walker && !working.get() && random.nextInt(10) == 0));
        // Work is tried three times, which is told apart elsewhere.
        WalkWork backfill = () -> {
            working.set(true);
            String copied = works().backfill().run();
            working.set(false);
            return copied;
        };
        WalkWork verification = () -> {
            working.set(true);
            String compared = works().verification().run();
            working.set(false);
            return compared;
        };
        WalkResult result = harness()
                .works(works(backfill, verification))
                .report(directory.resolve("story.html"))
                .walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.COMPLETED);
        assertThat(walked()).isSorted().contains(Phase.TARGET_ONLY);
        faulty.lose(call -> false);
    }

    @Test
    void shouldEndWithAReportWhenThePhaseStoreIsLostForGood() throws IOException, InterruptedException {
        whileWaiting.add(() -> {
            if (dual.phase().phase() == Phase.WRITE_BOTH) {
                faulty.lose(call -> true);
            }
        });
        Path report = directory.resolve("story.html");
        WalkResult result = harness().report(report).walk();
        assertThat(result.outcome()).isEqualTo(WalkResult.Outcome.STUCK);
        assertThat(result.last().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(result.reason()).contains("phase store can't be asked");
        assertThat(Files.readString(report)).contains("phase store can&#39;t be asked");
        faulty.lose(call -> false);
    }

    @Test
    void shouldChangeTheShareOnceASilentInstanceIsHeardAgain() throws IOException, InterruptedException {
        Instant[] silentFrom = new Instant[1];
        whileWaiting.add(() -> {
            PhaseRecord current = phases.read(NAME).orElseThrow();
            if (silentFrom[0] == null
                    && current.phase() == Phase.READ_TARGET
                    && dual.control().acknowledged()) {
                current = dual.control().readShare(20, "ben", "carefully");
                silentFrom[0] = now;
            }
            boolean silent = silentFrom[0] != null && now.isBefore(silentFrom[0].plusSeconds(40));
            phases.heartbeat(NAME, node2(current.version(), silent ? now.minusSeconds(60) : now));
        });
        WalkResult result = harness().walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.COMPLETED);
        assertThat(phases.history(NAME))
                .extracting(PhaseRecord::readSharePercent)
                .contains(20);
    }

    @Test
    void shouldNotWaitForInstancesLongerThanTheWholeMayTake() throws IOException, InterruptedException {
        whileWaiting.add(() -> phases.heartbeat(NAME, new Heartbeat("node-2", 1, true, now, Map.of("kind", "dao"))));
        Instant begun = now;
        WalkResult result = harness()
                .atMost(Duration.ofSeconds(30))
                .turnBackIf(() -> now.isAfter(begun.plusSeconds(31))
                        ? Optional.of("the time was not looked at")
                        : Optional.empty())
                .walk();
        assertThat(result.reason()).contains("longer than 30s");
    }

    @Test
    void shouldTurnBackFromTroubleWhileItWaitsForInstances() throws IOException, InterruptedException {
        whileWaiting.add(() -> phases.heartbeat(NAME, new Heartbeat("node-2", 1, true, now, Map.of("kind", "dao"))));
        WalkResult result = harness()
                .turnBackIf(() ->
                        dual.phase().phase() == Phase.WRITE_BOTH ? Optional.of("answers are wrong") : Optional.empty())
                .walk();
        assertThat(result.reason()).startsWith("answers are wrong");
    }

    @Test
    void shouldNotTurnBackFromPhase5WhenTheTimeIsOver() throws IOException, InterruptedException {
        whileWaiting.add(() -> {
            if (dual.phase().phase() == Phase.TARGET_ONLY) {
                now = now.plus(Duration.ofHours(1));
            }
        });
        WalkResult result = harness().atMost(Duration.ofMinutes(30)).walk();
        assertThat(result.outcome()).as(result.reason()).isEqualTo(WalkResult.Outcome.COMPLETED);
    }
}
