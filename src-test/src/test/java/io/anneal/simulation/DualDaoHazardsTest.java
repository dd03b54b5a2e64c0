package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.DualDaoConfigException;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy.Guarantee;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MetricsSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What goes wrong when a migration is done by hand, each as a caller would see it: all of these tests go through the
 * interface that a dual DAO implements, with both stores and the phase in the test's hands.
 */
final class DualDaoHazardsTest {
    private static final String NAME = "shelf";

    private final HandThreads threads = new HandThreads();
    private final Shelf.InMemory origin = new Shelf.InMemory();
    private final Shelf.InMemory target = new Shelf.InMemory();
    private final List<DualDao<Shelf>> open = new ArrayList<>();
    private PhaseStore phases = new MemoryPhaseStore();

    @TempDir
    Path directory;

    @AfterEach
    void closeAll() {
        open.forEach(dual -> {
            threads.runBeside();
            dual.close();
        });
    }

    private DualDaoBuilder<Shelf> described(Mode mode) {
        return DualDao.builder(Shelf.class)
                .name(NAME)
                .origin(origin)
                .target(target)
                .mode(mode)
                .phases(phases)
                .fallback(FallbackPolicy.ON_MISS)
                .copy(KeyCodec.STRING, new Shelf.Copy(Guarantee.SOURCE_TIMESTAMPS))
                .shadow(new ShadowConfig(2, 8))
                .environment(threads.environment());
    }

    private DualDao<Shelf> built(DualDaoBuilder<Shelf> builder) {
        DualDao<Shelf> dual = builder.build();
        open.add(dual);
        return dual;
    }

    /** Begins in phase 1, as test mode does. */
    private DualDao<Shelf> tested(DualDaoBuilder<Shelf> builder, Phase phase) {
        enter(Phase.ORIGIN_ONLY);
        DualDao<Shelf> dual = built(builder);
        enter(phase);
        dual.poll();
        return dual;
    }

    private Shelf dao(Mode mode, Phase phase) {
        enter(phase);
        return built(described(mode)).dao();
    }

    /** Puts a phase in force, over all before it and past all gates. */
    private void enter(Phase phase) {
        if (phases.read(NAME).isEmpty()) {
            phases.create(NAME, PhaseRecord.first("test", threads.now(), "begin"));
        }
        PhaseRecord current = phases.read(NAME).orElseThrow();
        int step = Integer.signum(phase.compareTo(current.phase()));
        while (current.phase() != phase) {
            Phase next = Phase.values()[current.phase().ordinal() + step];
            PhaseRecord changed = current.changed(next, 100, "test", threads.now(), "step");
            assertThat(phases.compareAndSet(NAME, current.version(), changed)).isTrue();
            current = changed;
        }
    }

    /** A test walks by itself: a phase that a migration reached is none for it. */
    private Shelf walkedInTest(Phase phase) {
        enter(Phase.ORIGIN_ONLY);
        DualDao<Shelf> dual = built(described(Mode.TEST));
        dual.poll();
        while (dual.phase().phase() != phase) {
            dual.control().advance("test", "on");
            dual.poll();
            dual.poll();
        }
        return dual.dao();
    }

    private long count(Counter counter) {
        return open.get(0).stats().sum(counter);
    }

    // The holes in the published scheme.

    @ParameterizedTest
    @EnumSource(names = {"READ_TARGET", "TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldWriteAndAnswerFromTheOriginWhenTestingWhateverThePhase(Phase phase) {
        Shelf dao = walkedInTest(phase);
        origin.rows.put("gone", "old");

        dao.put("k", "new");
        dao.remove("gone");
        threads.runBeside();
        target.rows.put("k", "of the target");

        assertThat(origin.rows).containsOnly(Map.entry("k", "new"));
        assertThat(dao.find("k")).isEqualTo("new");
        assertThat(dao.find("gone")).isNull();
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldNotBringADeletedKeyBack(Phase phase) {
        origin.rows.put("k", "old");
        target.rows.put("k", "old");
        Shelf dao = dao(Mode.MIGRATION, phase);

        dao.remove("k");

        assertThat(dao.find("k")).isNull();
        assertThat(origin.rows.containsKey("k")).isEqualTo(!phase.writes(Side.ORIGIN));
        assertThat(target.rows.containsKey("k")).isEqualTo(!phase.writes(Side.TARGET));
    }

    /** No journal tells of a read that is by no key, or of another instance's write, that the origin has what was before. */
    @ParameterizedTest
    @EnumSource(names = {"TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldAskTheTargetAloneOnceAnybodyMayWriteItAlone(Phase phase) {
        origin.rows.put("k", "written or deleted since, through another instance");
        Shelf dao = dao(Mode.MIGRATION, phase);

        assertThat(dao.find("k")).isNull();
        assertThat(dao.all()).isEmpty();
        assertThat(origin.calls).isEmpty();
    }

    @Test
    void shouldNotReadATargetThatHoldsPartOfThePartitionsBeforeABackfillWasVerified() {
        enter(Phase.WRITE_BOTH);
        PhaseControl control = built(described(Mode.MIGRATION)).control();

        assertThatThrownBy(() -> control.advance("test", "too early"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("backfill");
        control.finish(control.begin(), PhaseNote.Kind.BACKFILL, "test", Map.of(Facts.ROWS, "1"));
        assertThatThrownBy(() -> control.advance("test", "not verified")).isInstanceOf(GateException.class);
        threads.pass(1, TimeUnit.SECONDS);
        WorkStart verifying = control.begin();
        control.finish(
                verifying,
                PhaseNote.Kind.VERIFICATION,
                "test",
                Map.of(Facts.MISMATCHES, "1", Facts.WRITTEN_PAST, "0", Facts.ROWS, "1"));
        assertThatThrownBy(() -> control.advance("test", "it differs")).isInstanceOf(GateException.class);
        threads.pass(1, TimeUnit.SECONDS);
        control.finish(
                control.begin(),
                PhaseNote.Kind.VERIFICATION,
                "test",
                Map.of(Facts.MISMATCHES, "0", Facts.WRITTEN_PAST, "0", Facts.ROWS, "1"));

        assertThat(control.advance("test", "now").phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldUniteAPartitionThatIsPartlyInTheTarget() {
        enter(Phase.READ_TARGET);
        Shelf dao = built(described(Mode.MIGRATION)
                        .partitions(Partitions.merged((ofOrigin, ofTarget) -> ofOrigin + "+" + ofTarget)))
                .dao();
        origin.rows.put("k", "a+b");
        target.rows.put("k", "c");

        assertThat(dao.find("k")).isEqualTo("a+b+c");
    }

    @ParameterizedTest
    @CsvSource({"true,false,false,MISS", "false,true,false,ERROR", "false,false,true,TIMEOUT"})
    void shouldFallBackForTheReasonsThatWereSaidAndNoOther(
            boolean onMiss, boolean onError, boolean onTimeout, String reason) {
        enter(Phase.READ_TARGET);
        Shelf dao =
                built(patient(new FallbackPolicy(onMiss, onError, onTimeout))).dao();
        origin.rows.put("k", "old");

        assertThat(dao.find("k")).isEqualTo(reason.equals("MISS") ? "old" : null);
        target.failWith(new IllegalStateException("broken"));
        if (reason.equals("ERROR")) {
            assertThat(dao.find("k")).isEqualTo("old");
        } else {
            assertThatThrownBy(() -> dao.find("k")).isInstanceOf(IllegalStateException.class);
        }
        target.failWith(new TimeoutException("late"));
        if (reason.equals("TIMEOUT")) {
            assertThat(dao.find("k")).isEqualTo("old");
        } else {
            assertThatThrownBy(() -> dao.find("k")).isInstanceOf(TimeoutException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldRatherFailThanAnswerFromAnOriginThatIsBehind(Phase phase) {
        enter(phase);
        Shelf dao = built(patient(new FallbackPolicy(true, true, true))).dao();
        origin.rows.put("k", "old");
        target.failWith(new IllegalStateException("broken"));

        assertThatThrownBy(() -> dao.find("k")).isInstanceOf(IllegalStateException.class);
    }

    /** A read that has a limit runs beside its caller, so it takes real threads. */
    private DualDaoBuilder<Shelf> patient(FallbackPolicy policy) {
        return described(Mode.MIGRATION)
                .fallback(policy)
                .targetTimeout(policy.onTimeout() ? Duration.ofMinutes(1) : null)
                .environment(DualEnvironment.system());
    }

    // What a target that is tested must not do.

    @Test
    void shouldLetNothingOfATestedTargetReachTheCaller() {
        Shelf dao = tested(described(Mode.TEST), Phase.READ_TARGET).dao();
        origin.rows.put("k", "v");
        target.failWith(new IOException("the target is broken"));

        assertThat(dao.find("k")).isEqualTo("v");
        dao.put("k", "w");
        dao.remove("other");
        assertThat(dao.putIfAbsent("k", "x")).isFalse();
        dao.append("k", "w");
        threads.runBeside();

        assertThat(dao.find("k")).isEqualTo("ww");
        assertThat(count(Counter.TARGET_FAILED)).isPositive();
    }

    @Test
    void shouldBoundWhatWaitsForATestedTargetThatHangs() {
        Shelf dao = tested(described(Mode.TEST), Phase.READ_TARGET).dao();

        for (int i = 0; i < 10_000; i++) {
            dao.put("same", "v" + i);
            dao.put("k" + i, "v");
            dao.find("r" + i);
        }

        assertThat(threads.waitingBeside()).isLessThanOrEqualTo(10);
        assertThat(count(Counter.DROPPED_WRITES)).isGreaterThan(19_000);
        assertThat(count(Counter.DROPPED_READS)).isGreaterThan(9_000);
        // None of them is forgotten.
        assertThat(open.get(0).journal().contains(Side.TARGET, "same")).isTrue();
        assertThat(open.get(0).journal().contains(Side.TARGET, "k9999")).isTrue();
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotWaitForATestedTargetThatHangs() throws InterruptedException {
        DualDao<Shelf> dual = tested(
                described(Mode.TEST).environment(DualEnvironment.system()).shadow(new ShadowConfig(2, 4)),
                Phase.READ_TARGET);
        CountDownLatch hangs = new CountDownLatch(1);
        target.before = call -> hangs.await();
        try {
            for (int i = 0; i < 1_000; i++) {
                dual.dao().put("k" + i % 5, "v" + i);
                assertThat(dual.dao().find("k" + i % 5)).isEqualTo("v" + i);
            }
        } finally {
            hangs.countDown();
            dual.close();
        }
    }

    @Test
    void shouldReadAMismatchAgainBeforeItIsBelieved() {
        Shelf dao = tested(described(Mode.TEST).mismatchReread(Duration.ofSeconds(1)), Phase.READ_TARGET)
                .dao();
        origin.rows.put("k", "new");
        target.rows.put("k", "old");

        dao.find("k");
        threads.runBeside();
        target.rows.put("k", "new");
        threads.pass(2, TimeUnit.SECONDS);
        threads.runBeside();
        assertThat(count(Counter.MISMATCHES)).isZero();

        target.rows.put("k", "old");
        dao.find("k");
        threads.runBeside();
        threads.pass(2, TimeUnit.SECONDS);
        threads.runBeside();
        assertThat(count(Counter.MISMATCHES)).isOne();
    }

    // Writes to two stores.

    @Test
    void shouldTellTheCallerWhenTheTargetMissedAWriteAndRememberTheKey() {
        Shelf dao = dao(Mode.MIGRATION, Phase.WRITE_BOTH);
        IllegalStateException broken = new IllegalStateException("broken");
        target.failWith(broken);

        assertThatThrownBy(() -> dao.put("k", "v")).isSameAs(broken);

        OutcomePerSide outcome = OutcomePerSide.of(broken).orElseThrow();
        assertThat(outcome.origin()).isEqualTo(SideOutcome.OK);
        assertThat(outcome.target()).isEqualTo(SideOutcome.FAILED);
        assertThat(open.get(0).journal().contains(Side.TARGET, "k")).isTrue();
    }

    @Test
    void shouldReadAKeyFromTheOriginThatTheTargetMissed() {
        enter(Phase.READ_TARGET);
        PhaseControl.of(phases, NAME, threads::now, ControlPolicy.DEFAULTS).readShare(99, "test", "nearly all");
        Shelf dao = built(described(Mode.MIGRATION).writes(WritePolicy.ORIGIN_THEN_JOURNAL))
                .dao();
        target.rows.put("k", "old");
        target.before = call -> {
            if (call.equals("put")) {
                throw new IllegalStateException("broken");
            }
        };

        dao.put("k", "new");

        assertThat(dao.find("k")).isEqualTo("new");
        target.before = call -> {};
        redrive();
        assertThat(target.rows).containsEntry("k", "new");
        assertThat(open.get(0).journal().size(Side.TARGET)).isZero();
    }

    /** Waits for nothing: what it begins runs here. */
    private void redrive() {
        Thread redriving = new Thread(() -> open.get(0).redrive());
        redriving.start();
        while (redriving.isAlive()) {
            threads.runBeside();
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldRememberAKeyWhoseWriteMayHaveHappened() {
        Shelf dao = dao(Mode.MIGRATION, Phase.WRITE_BOTH);
        origin.failWith(new TimeoutException("late"));

        assertThatThrownBy(() -> dao.put("k", "v")).isInstanceOf(TimeoutException.class);

        assertThat(target.calls).isEmpty();
        assertThat(open.get(0).journal().contains(Side.TARGET, "k")).isTrue();
    }

    @Test
    void shouldNotWriteTheTargetAloneWhenTheOriginRefused() {
        Shelf dao = dao(Mode.MIGRATION, Phase.WRITE_BOTH);
        origin.failWith(new IllegalStateException("refused"));

        assertThatThrownBy(() -> dao.put("k", "v")).isInstanceOf(IllegalStateException.class);

        assertThat(target.rows).isEmpty();
        assertThat(open.get(0).journal().contains(Side.TARGET, "k"))
                .as("a refusal by the looks of it")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_BOTH", "READ_TARGET", "TARGET_FIRST"})
    void shouldDecideAConditionalWriteOnceAndCopyWhatCameOfIt(Phase phase) {
        Shelf dao = dao(Mode.MIGRATION, phase);
        Shelf.InMemory right = phase.authority() == Side.ORIGIN ? origin : target;
        Shelf.InMemory other = phase.authority() == Side.ORIGIN ? target : origin;
        right.rows.put("k", "there");
        right.rows.put("n", "1");
        other.rows.put("n", "1");

        assertThat(dao.putIfAbsent("k", "new")).isFalse();
        dao.append("n", "2");

        assertThat(other.rows).containsEntry("k", "there").containsEntry("n", "12");
        assertThat(right.rows).containsEntry("n", "12");
        assertThat(other.calls).doesNotContain("putIfAbsent", "append");
    }

    @Test
    void shouldNotAcknowledgeAConditionalWriteThatReadsCanNotSee() {
        Shelf dao = dao(Mode.MIGRATION, Phase.READ_TARGET);
        IllegalStateException broken = new IllegalStateException("broken");
        target.rows.put("k", "old");
        origin.before = call -> {
            if (call.equals("putIfAbsent")) {
                target.failWith(broken);
            }
        };

        assertThatThrownBy(() -> dao.putIfAbsent("k", "new")).isSameAs(broken);

        target.before = call -> {};
        redrive();
        assertThat(dao.find("k")).isEqualTo("new");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldOrderWritesToAKeySoThatBothSidesEndAlike() throws InterruptedException {
        Shelf dao = dao(Mode.MIGRATION, Phase.WRITE_BOTH);
        CountDownLatch inTarget = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        target.before = call -> {
            if (inTarget.getCount() > 0) {
                inTarget.countDown();
                goOn.await();
            }
        };
        Thread first = new Thread(() -> dao.put("k", "first"));
        first.start();
        inTarget.await();
        Thread second = new Thread(() -> dao.put("k", "second"));
        second.start();
        while (second.getState() != Thread.State.TIMED_WAITING && second.isAlive()) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        first.join();
        second.join();

        assertThat(origin.rows).containsEntry("k", "second");
        assertThat(target.rows).containsEntry("k", "second");
    }

    @Test
    void shouldLeaveNamesBehindWhenTheProcessIsKilledBetweenTheSides() {
        enter(Phase.WRITE_BOTH);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION).directory(directory));
        List<Boolean> named = new ArrayList<>();
        target.before = call -> named.add(dual.journal().contains(Side.TARGET, "k"));

        dual.dao().put("k", "v");

        assertThat(dual.journal().persistent()).isTrue();
        assertThat(named).containsExactly(true);
        assertThat(dual.journal().contains(Side.TARGET, "k")).isFalse();
    }

    @Test
    void shouldThrowWhatASideThrowsAlsoIfItIsNotDeclared() {
        Shelf dao = dao(Mode.MIGRATION, Phase.WRITE_BOTH);
        IOException undeclared = new IOException("not declared");
        origin.failWith(undeclared);

        assertThatThrownBy(() -> dao.find("k")).isSameAs(undeclared);
        assertThatThrownBy(() -> dao.put("k", "v")).isSameAs(undeclared);
    }

    // Phase 4 and the way back.

    @ParameterizedTest
    @EnumSource(names = {"WRITE_TARGET", "TARGET_ONLY"})
    void shouldNameEveryKeyBeforeItIsWrittenToTheTargetAlone(Phase phase) {
        enter(phase);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION));
        List<Boolean> named = new ArrayList<>();
        target.before = call -> named.add(dual.journal().contains(Side.ORIGIN, "k"));

        dual.dao().put("k", "v");
        dual.dao().remove("k");

        assertThat(named).containsExactly(true, true);
        assertThat(dual.journal().contains(Side.ORIGIN, "k")).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_TARGET", "TARGET_ONLY"})
    void shouldRefuseTheWayBackBeforeTheOriginHasWhatWasWrittenSince(Phase phase) {
        enter(phase);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION));
        dual.dao().put("k", "v");
        dual.poll();

        assertThatThrownBy(() -> dual.control().rollback("test", "back")).isInstanceOf(GateException.class);
        assertThat(dual.control().rollbackPlan().refusal()).isPresent();
        assertThat(dual.control().rollbackPlan().keysToCopy()).isEqualTo(1);
    }

    @Test
    void shouldGoBackOverACopyOfWhatWasWrittenSince() {
        enter(Phase.WRITE_TARGET);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION));
        origin.rows.put("deleted", "old");
        target.rows.put("deleted", "old");
        dual.dao().put("k", "v");
        dual.dao().remove("deleted");
        PhaseControl control = dual.control();
        dual.poll();
        while (control.current().phase() != Phase.TARGET_FIRST) {
            control.reverse("test", "back");
            dual.poll();
        }
        assertThatThrownBy(() -> control.rollback("test", "too early")).isInstanceOf(GateException.class);

        WorkStart start = control.begin();
        CompletionStage<Integer> copied = dual.redrive(Side.ORIGIN);
        threads.runBeside();
        assertThat(copied.toCompletableFuture().join()).isEqualTo(2);
        dual.poll();
        assertThatThrownBy(() -> control.rollback("test", "nobody compared"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("reverse");
        control.finish(start, PhaseNote.Kind.REVERSE_BACKFILL, "test", Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "1"));
        dual.poll();

        assertThat(control.rollback("test", "back").phase()).isEqualTo(Phase.READ_TARGET);
        assertThat(origin.rows).containsOnly(Map.entry("k", "v"));
    }

    // Read-repair.

    private DualDao<Shelf> repairing(int copiesPerSecond, Guarantee guarantee) {
        enter(Phase.READ_TARGET);
        return built(described(Mode.MIGRATION)
                .copy(KeyCodec.STRING, new Shelf.Copy(guarantee))
                .readRepair(new ReadRepair(copiesPerSecond)));
    }

    @Test
    void shouldRepairAKeyOnceHoweverManyReadsMissIt() {
        Shelf dao = repairing(1_000, Guarantee.SOURCE_TIMESTAMPS).dao();
        origin.rows.put("k", "v");

        dao.find("k");
        dao.find("k");
        dao.find("k");
        threads.pass(1, TimeUnit.SECONDS);
        threads.runBeside();

        assertThat(target.rows).containsEntry("k", "v");
        assertThat(count(Counter.REPAIRED)).isOne();
        assertThat(count(Counter.REPAIRS_SKIPPED)).isEqualTo(2);
    }

    @Test
    void shouldThrottleRepairs() {
        Shelf dao = repairing(1, Guarantee.SOURCE_TIMESTAMPS).dao();
        origin.rows.put("a", "v");
        origin.rows.put("b", "v");
        threads.pass(1, TimeUnit.MICROSECONDS);
        dao.find("a");
        threads.runBeside();
        dao.find("b");
        threads.runBeside();

        assertThat(target.rows).containsOnlyKeys("a");
        threads.pass(2, TimeUnit.SECONDS);
        dao.find("b");
        threads.runBeside();
        assertThat(target.rows).containsOnlyKeys("a", "b");
    }

    @Test
    void shouldNotRepairAKeyThatIsBeingWritten() {
        Shelf dao = repairing(1_000, Guarantee.SOURCE_TIMESTAMPS).dao();
        origin.rows.put("k", "old");
        origin.before = call -> {
            if (call.equals("put")) {
                assertThat(dao.find("k")).isEqualTo("old");
            }
        };

        dao.put("k", "new");
        threads.runBeside();

        assertThat(target.rows).containsEntry("k", "new");
        assertThat(count(Counter.REPAIRED)).isZero();
        assertThat(count(Counter.REPAIRS_SKIPPED)).isOne();
    }

    @Test
    void shouldRefuseRepairsThatCouldOverwriteWhatIsNewer() {
        enter(Phase.READ_TARGET);
        DualDaoBuilder<Shelf> builder = described(Mode.MIGRATION)
                .copy(KeyCodec.STRING, new Shelf.Copy(Guarantee.NONE))
                .readRepair(new ReadRepair(10));

        assertThatThrownBy(builder::build)
                .isInstanceOf(DualDaoConfigException.class)
                .hasMessageContaining("readRepair");
    }

    // The phase store.

    @Test
    void shouldRefuseToStartWithoutARecordInsteadOfTakingPhase1() {
        DualDaoBuilder<Shelf> builder = described(Mode.MIGRATION);

        assertThatThrownBy(builder::build).isInstanceOf(PhaseStoreException.class);
    }

    @Test
    void shouldRefuseAStoreThatIsOlderThanWhatTheInstanceSaw() {
        enter(Phase.WRITE_TARGET);
        described(Mode.MIGRATION).directory(directory).build().close();
        phases = new MemoryPhaseStore();
        enter(Phase.WRITE_BOTH);

        DualDaoBuilder<Shelf> again = described(Mode.MIGRATION).directory(directory);

        assertThatThrownBy(again::build)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("older than what was seen");
    }

    @Test
    void shouldRefuseAStoreThatLostItsRecord() {
        enter(Phase.WRITE_TARGET);
        described(Mode.MIGRATION).directory(directory).build().close();
        phases = new MemoryPhaseStore();

        DualDaoBuilder<Shelf> again = described(Mode.MIGRATION).directory(directory);

        assertThatThrownBy(again::build)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("was seen before");
    }

    @Test
    void shouldKeepItsPhaseAndTakeNoStepWhileTheStoreIsGone() {
        PhaseStore store = new MemoryPhaseStore();
        LossyPhaseStore lossy = new LossyPhaseStore(() -> store);
        phases = lossy.store();
        enter(Phase.WRITE_BOTH);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION).directory(directory));
        lossy.lost(true);
        dual.poll();

        assertThat(dual.phase().phase()).isEqualTo(Phase.WRITE_BOTH);
        dual.dao().put("k", "v");
        assertThat(target.rows).containsEntry("k", "v");
        assertThatThrownBy(() -> dual.control().advance("test", "on")).isInstanceOf(PhaseStoreException.class);
        lossy.lost(false);
    }

    @Test
    void shouldBeginAMigrationOnceAndOnlyWhenTold() {
        PhaseControl control = PhaseControl.of(phases, NAME, threads::now, ControlPolicy.DEFAULTS);
        assertThatThrownBy(control::current).isInstanceOf(PhaseStoreException.class);

        assertThat(control.create("test", "begin").phase()).isEqualTo(Phase.ORIGIN_ONLY);

        assertThatThrownBy(() -> control.create("test", "again")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldTakeNoStepBeforeEveryInstanceTookTheLast() {
        enter(Phase.ORIGIN_ONLY);
        DualDao<Shelf> one = built(described(Mode.MIGRATION).instance("one"));
        DualDao<Shelf> other = built(described(Mode.MIGRATION).instance("other"));
        one.control().advance("test", "on");
        one.poll();

        assertThat(one.phase().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(other.phase().phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThatThrownBy(() -> one.control().rollback("test", "back")).isInstanceOf(GateException.class);
        other.poll();
        assertThat(one.control().rollback("test", "back").phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldActByOnePhaseToTheEndOfAnOperationAndAcknowledgeTheNextAfterIt() {
        enter(Phase.WRITE_BOTH);
        DualDao<Shelf> dual = built(described(Mode.MIGRATION));
        List<Boolean> acknowledged = new ArrayList<>();
        origin.before = call -> {
            enter(Phase.ORIGIN_ONLY);
            dual.poll();
            acknowledged.add(dual.control().acknowledged());
        };

        dual.dao().put("k", "v");

        assertThat(target.rows).as("it began in phase 2").containsEntry("k", "v");
        assertThat(acknowledged).containsExactly(false);
        dual.poll();
        assertThat(dual.control().acknowledged()).isTrue();
        origin.before = call -> {};
        dual.dao().put("k", "w");
        assertThat(target.rows).containsEntry("k", "v");
    }

    @Test
    void shouldReadAShareOfTheKeysFromTheTargetAlwaysTheSame() {
        enter(Phase.READ_TARGET);
        PhaseRecord current = phases.read(NAME).orElseThrow();
        phases.compareAndSet(
                NAME, current.version(), current.changed(Phase.READ_TARGET, 30, "test", threads.now(), "share"));
        Shelf dao = built(described(Mode.MIGRATION)).dao();
        Set<String> fromTarget = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            origin.rows.put("k" + i, "origin");
            target.rows.put("k" + i, "target");
        }
        for (int i = 0; i < 1_000; i++) {
            if (dao.find("k" + i).equals("target")) {
                fromTarget.add("k" + i);
            }
        }

        assertThat(fromTarget).hasSizeBetween(240, 360);
        assertThat(fromTarget).allSatisfy(key -> assertThat(dao.find(key)).isEqualTo("target"));
    }

    // What is refused from the start, and what must not get out.

    @Test
    void shouldRefuseTheSameStoreOnBothSidesAndSayAllElseThatIsWrong() {
        DualDaoBuilder<Shelf> builder =
                DualDao.builder(Shelf.class).origin(origin).target(origin);

        assertThatThrownBy(builder::build)
                .isInstanceOf(DualDaoConfigException.class)
                .hasMessageContaining("same")
                .hasMessageContaining("mode")
                .hasMessageContaining("phases");
    }

    @Test
    void shouldPutNoKeyIntoTheNameOfAMetric() {
        Set<String> names = new TreeSet<>();
        enter(Phase.READ_TARGET);
        Shelf dao = built(described(Mode.MIGRATION).metrics(new MetricsSink() {
                    @Override
                    public void latency(String operation, Side side, long nanos) {
                        names.add(operation);
                    }

                    @Override
                    public void count(String operation, Counter counter, long delta) {
                        names.add(operation);
                    }
                }))
                .dao();

        dao.put("secret", "v");
        dao.find("secret");
        dao.remove("secret");
        dao.find("secret");

        assertThat(names).containsExactly("find", "put", "remove");
    }
}
