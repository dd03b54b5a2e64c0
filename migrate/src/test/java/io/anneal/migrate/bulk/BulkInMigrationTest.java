package io.anneal.migrate.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.job.JobFailedException;
import java.lang.reflect.InvocationHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Back-fills and verifications as parts of a migration: when they may run, and what they leave. */
final class BulkInMigrationTest {
    private static final String NAME = "users";
    private static final int ENTRIES = 100;

    private final TestTime time = new TestTime();
    private final PhaseStore store = new MemoryPhaseStore();
    private final PhaseControl control = PhaseControl.of(
            store, NAME, time, new ControlPolicy(Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1)));
    private final TestSide origin = new TestSide("origin");
    private final TestSide target = new TestSide("target");
    private final Map<String, String> facts = new TreeMap<>(Map.of(
            Facts.MODE, "MIGRATION", Facts.PARTITIONS, "gated", Facts.DIRTY_TARGET, "0", Facts.DIRTY_ORIGIN, "0"));

    @TempDir
    private Path directory;

    @BeforeEach
    void fill() {
        for (int i = 0; i < ENTRIES; i++) {
            origin.put(TestSide.position(i, ENTRIES), "v" + i, 1_000 + i);
        }
        control.create("me", "begin");
        beat();
    }

    /** The one instance acts by the record in force. */
    private void beat() {
        store.heartbeat(NAME, new Heartbeat("one", control.current().version(), true, time.instant(), facts));
    }

    private void advance() {
        time.pass(1);
        control.advance("me", "on");
        beat();
        time.pass(1);
    }

    private Backfill.Builder<TestEntry> backfill() {
        return Backfill.builder(origin, target)
                .ranges(8)
                .parallel(1)
                .retries(1, Duration.ZERO)
                .environment(time.environment())
                .checkpoint(directory.resolve("backfill.json"))
                .phases(store, control, "me");
    }

    private Verification.Builder<TestEntry> verification() {
        return Verification.builder(origin, target)
                .ranges(8)
                .parallel(1)
                .retries(1, Duration.ZERO)
                .environment(time.environment())
                .checkpoint(directory.resolve("verify.json"))
                .phases(store, control, "me");
    }

    @Test
    void shouldNotCopyBeforeBothSidesAreWritten() {
        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=1");
        assertThat(target.all()).isEmpty();
    }

    @Test
    void shouldNotCopyBeforeAllInstancesWriteBoth() {
        control.advance("me", "on");

        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("instances=[one]");
        assertThat(target.all()).isEmpty();
    }

    @Test
    void shouldOpenTheGatesOfPhaseThree() throws Exception {
        advance();
        assertThatThrownBy(this::advance).isInstanceOf(GateException.class);

        backfill().build().run();
        time.pass(1);
        VerificationResult verified = verification().build().run();

        assertThat(verified.clean()).isTrue();
        assertThat(control.notes())
                .extracting(PhaseNote::kind)
                .containsExactly(PhaseNote.Kind.BACKFILL, PhaseNote.Kind.VERIFICATION);
        assertThat(control.notes().get(0).facts())
                .containsEntry(Facts.ROWS, Integer.toString(ENTRIES))
                .containsKey(Facts.STARTED_MILLIS);
        assertThat(control.notes().get(1).facts()).containsEntry(Facts.MISMATCHES, "0");
        advance();
        assertThat(control.current().phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldOpenTheGatesWhereBothStoresAreEmpty() throws Exception {
        for (int i = 0; i < ENTRIES; i++) {
            origin.lose(TestSide.position(i, ENTRIES));
        }
        advance();
        backfill().build().run();
        time.pass(1);
        verification().build().run();

        assertThat(control.notes().get(1).facts()).containsEntry(Facts.ROWS, "0");
        advance();
        assertThat(control.current().phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldKeepTheGateShutWithAMismatch() throws Exception {
        advance();
        backfill().build().run();
        time.pass(1);
        target.lose(TestSide.position(7, ENTRIES));
        long past = TestSide.position(8, ENTRIES) + 1;
        origin.put(past, "written past", time.micros() + 1);

        VerificationResult verified = verification().build().run();

        assertThat(verified.mismatches()).isEqualTo(2);
        assertThat(verified.writtenPast()).isEqualTo(1);
        assertThat(control.notes().get(1).facts())
                .containsEntry(Facts.MISMATCHES, "2")
                .containsEntry(Facts.WRITTEN_PAST, "1");
        assertThat(control.notes().get(1).facts().get(Facts.TEXT))
                .contains("only in the origin, written past the dual DAO: k" + past)
                .contains("only in the origin: k" + TestSide.position(7, ENTRIES));
        assertThatThrownBy(this::advance).isInstanceOf(GateException.class);
    }

    @Test
    void shouldShowItselfAmongTheInstancesWhileItRuns() throws Exception {
        advance();
        Map<String, Heartbeat> seen = new ConcurrentHashMap<>();
        CountDownLatch beaten = new CountDownLatch(1);
        PhaseStore watched = watched((proxy, method, arguments) -> {
            if (method.getName().equals("heartbeat")) {
                Heartbeat heartbeat = (Heartbeat) arguments[1];
                seen.put(heartbeat.facts().get(Facts.KIND), heartbeat);
                beaten.countDown();
            }
            return method.invoke(store, arguments);
        });
        AtomicBoolean waited = new AtomicBoolean();
        origin.reading = entry -> {
            try {
                waited.compareAndSet(false, beaten.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };

        backfill().phases(watched, control, "me").build().run();

        assertThat(waited).isTrue();
        assertThat(seen).containsOnlyKeys("backfill");
        assertThat(seen.get("backfill").facts())
                .containsEntry(Facts.RANGES_TOTAL, "8")
                .containsEntry(Facts.RANGES_DONE, "8")
                .containsEntry(Facts.ROWS, Integer.toString(ENTRIES));
        assertThat(store.heartbeats(NAME)).extracting(Heartbeat::instance).containsExactly("one");
        assertThat(control.acknowledged()).isTrue();
    }

    @Test
    void shouldLeaveItsNoteThoughTheListenerFails() throws Exception {
        advance();
        List<Heartbeat> seen = new CopyOnWriteArrayList<>();
        PhaseStore watched = watched((proxy, method, arguments) -> {
            if (method.getName().equals("heartbeat")) {
                seen.add((Heartbeat) arguments[1]);
            }
            return method.invoke(store, arguments);
        });

        backfill()
                .phases(watched, control, "me")
                .progress(progress -> {
                    throw new IllegalStateException("terminal is gone");
                })
                .build()
                .run();

        assertThat(control.notes()).extracting(PhaseNote::kind).containsExactly(PhaseNote.Kind.BACKFILL);
        assertThat(seen)
                .last()
                .satisfies(heartbeat -> assertThat(heartbeat.facts()).containsEntry(Facts.RANGES_DONE, "8"));
    }

    private static PhaseStore watched(InvocationHandler handler) {
        return (PhaseStore) java.lang.reflect.Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, handler);
    }

    @Test
    void shouldBeginAnewWhenTheTargetWasNotWrittenMeanwhile() throws Exception {
        advance();
        origin.reading = entry -> {
            if (entry.value().equals("v99")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> backfill().build().run()).isInstanceOf(JobFailedException.class);
        origin.reading = entry -> {};
        time.pass(1);
        control.rollback("me", "back to 1");
        beat();
        origin.put(TestSide.position(3, ENTRIES), "written to the origin alone", 5_000);
        advance();

        BackfillResult result = backfill().build().run();

        assertThat(result.resumedRanges())
                .as("what was copied before counts no more")
                .isZero();
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldGoOnAfterAChangeThatKeepsBothWritten() throws Exception {
        advance();
        origin.reading = entry -> {
            if (entry.value().equals("v99")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> backfill().build().run()).isInstanceOf(JobFailedException.class);
        origin.reading = entry -> {};
        control.readShare(10, "me", "for later");
        beat();

        BackfillResult result = backfill().build().run();

        assertThat(result.resumedRanges()).isEqualTo(7);
        assertThat(control.notes())
                .singleElement()
                .satisfies(note -> assertThat(note.version())
                        .as("of the record when the first of the runs began")
                        .isEqualTo(2));
    }

    @Test
    void shouldStopWhenBothSidesAreNotWrittenAnyMore() throws Exception {
        advance();
        origin.reading = entry -> {
            if (entry.value().equals("v50")) {
                control.rollback("me", "back to 1");
                beat();
            }
        };

        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=1");
        assertThat(target.all()).as("the range under way ends, no other begins").hasSizeLessThan(ENTRIES);
        assertThat(control.notes()).isEmpty();
    }

    @Test
    void shouldNotVerifyOnWithWhatWasComparedBeforeTheBackfill() throws Exception {
        advance();
        for (TestEntry entry : origin.all()) {
            target.put(entry.position(), entry.value(), entry.writeTimeMicros());
        }
        origin.reading = entry -> {
            if (entry.value().equals("v99")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> verification().build().run()).isInstanceOf(JobFailedException.class);
        origin.reading = entry -> {};
        time.pass(1);
        backfill().build().run();
        time.pass(1);

        assertThat(verification().build().run().resumedRanges()).isZero();
    }

    @Test
    void shouldMakeGoodOnlyWhileTheOriginIsRight() throws Exception {
        walkToThree();
        advance();
        assertThat(control.current().phase()).isEqualTo(Phase.TARGET_FIRST);

        assertThatThrownBy(() -> verification().repair(target).build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=3b");
    }

    @Test
    void shouldNotTakeAwayWhatIsWrittenOnceTheTargetIsRight() throws Exception {
        walkToThree();
        long surplus = TestSide.position(8, ENTRIES) + 1;
        target.put(surplus, "what a write left that the origin did not take", 1_000);
        TestEntry acknowledged = new TestEntry(surplus, "acknowledged", time.micros() + 1_000_000);
        AtomicBoolean moved = new AtomicBoolean();

        assertThatThrownBy(() -> verification()
                        .repair(target)
                        .environment(time.environment(() -> {
                            if (moved.compareAndSet(false, true)) {
                                advance();
                                target.put(surplus, acknowledged.value(), acknowledged.writeTimeMicros());
                            }
                        }))
                        .build()
                        .run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=3b");

        assertThat(target.all()).contains(acknowledged);
    }

    @Test
    void shouldNotMakeGoodWhileThePhaseStoreCannotBeAsked() throws Exception {
        walkToThree();
        target.lose(TestSide.position(7, ENTRIES));
        AtomicBoolean away = new AtomicBoolean();
        PhaseStore leaving = watched((proxy, method, arguments) -> {
            if (away.get() && method.getName().equals("read")) {
                throw new PhaseStoreException("store is away");
            }
            return method.invoke(store, arguments);
        });

        assertThatThrownBy(() -> verification()
                        .repair(target)
                        .phases(leaving, PhaseControl.of(leaving, NAME, time, control.policy()), "me")
                        .environment(time.environment(() -> away.set(true)))
                        .build()
                        .run())
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("store is away");

        assertThat(target.all()).hasSize(ENTRIES - 1);
    }

    @Test
    void shouldNotMakeGoodBeforeAllInstancesTakeTheOriginForRight() throws Exception {
        walkToThree();
        control.readShare(100, "me", "more");

        assertThatThrownBy(() -> verification().repair(target).build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("instances=[one]");
    }

    @Test
    void shouldNotCopyOnceTheTargetIsRight() throws Exception {
        walkToThree();
        long deleted = TestSide.position(8, ENTRIES);
        origin.reading = entry -> {
            if (entry.position() == deleted && control.current().phase() == Phase.READ_TARGET) {
                advance();
                // Deleted in the target alone, so long ago that nothing is left of it.
                target.lose(TestSide.position(98, ENTRIES));
            }
        };

        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=3b");
        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=3b");

        assertThat(target.all()).hasSize(ENTRIES - 1);
    }

    private void walkToThree() throws Exception {
        advance();
        backfill().build().run();
        time.pass(1);
        verification().build().run();
        advance();
        verification().build().run();
    }

    private void walkToFive() throws Exception {
        walkToThree();
        while (control.current().phase() != Phase.TARGET_ONLY) {
            advance();
        }
    }

    private ReverseBackfill.Builder<TestEntry> reverse(Runnable whileAsleep) {
        return ReverseBackfill.builder(origin, target, "the target is too slow")
                .phases(store, control, "me")
                .ranges(4)
                .patience(Duration.ofSeconds(60))
                .environment(time.environment(whileAsleep));
    }

    @Test
    void shouldTakeTheWayBackFromFive() throws Exception {
        walkToFive();
        long added = TestSide.position(4, ENTRIES) + 1;
        target.put(added, "written in 5", time.micros());
        target.delete(TestSide.position(5, ENTRIES), time.micros());
        facts.put(Facts.DIRTY_ORIGIN, "2");
        beat();

        ReverseResult result = reverse(() -> {
                    // The instance follows; once both sides are written it works its journal off.
                    if (control.current().phase() == Phase.TARGET_FIRST && control.acknowledged()) {
                        origin.put(added, "written in 5", time.micros());
                        origin.delete(TestSide.position(5, ENTRIES), time.micros());
                        facts.put(Facts.DIRTY_ORIGIN, "0");
                    }
                    beat();
                })
                .build()
                .run();

        assertThat(control.history())
                .extracting(PhaseRecord::phase)
                .endsWith(Phase.TARGET_ONLY, Phase.WRITE_TARGET, Phase.TARGET_FIRST);
        assertThat(result.clean()).isTrue();
        assertThat(result.phase().phase()).isEqualTo(Phase.TARGET_FIRST);
        assertThat(control.notes()).last().satisfies(note -> {
            assertThat(note.kind()).isEqualTo(PhaseNote.Kind.REVERSE_BACKFILL);
            assertThat(note.facts()).containsEntry(Facts.MISMATCHES, "0");
        });
        PhaseRecord back = control.rollback("me", "origin is whole");
        assertThat(back.phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldCopyWhatALostJournalForgot() throws Exception {
        walkToFive();
        long added = TestSide.position(4, ENTRIES) + 1;
        target.put(added, "written in 5", time.micros());
        origin.put(TestSide.position(5, ENTRIES) + 1, "deleted in 5", 900);
        store.addNote(
                NAME,
                new PhaseNote(
                        time.instant(),
                        control.current().version(),
                        "gone",
                        PhaseNote.Kind.INSTANCE_LEFT,
                        Map.of(Facts.INSTANCE, "gone", Facts.DIRTY_ORIGIN, "2")));
        time.pass(1);

        ReverseResult told = reverse(this::beat).build().run();
        assertThat(told.verification().onlyTarget()).isEqualTo(1);
        assertThat(told.verification().onlyOrigin()).isEqualTo(1);
        assertThatThrownBy(() -> control.rollback("me", "too early")).isInstanceOf(GateException.class);

        ReverseResult copied = reverse(this::beat).repair(origin).build().run();
        assertThat(copied.clean()).isTrue();
        assertThat(copied.verification().repaired()).isEqualTo(2);
        assertThat(origin.all()).isEqualTo(target.all());
        assertThat(control.notes().stream().map(PhaseNote::kind).toList())
                .endsWith(PhaseNote.Kind.VERIFICATION, PhaseNote.Kind.REVERSE_BACKFILL);
        control.rollback("me", "origin is whole");
    }

    @Test
    void shouldNotMakeTheOriginGoodOnceThePhaseWasGoneOnFrom() throws Exception {
        walkToFive();
        reverse(this::beat).build().run();
        long added = TestSide.position(4, ENTRIES) + 1;
        origin.put(added, "what a write left that the target did not take", 1_000);
        TestEntry acknowledged = new TestEntry(added, "acknowledged, the target's is journaled", time.micros());

        assertThatThrownBy(() -> reverse(() -> {
                            if (control.current().phase() == Phase.TARGET_FIRST) {
                                control.rollback("me", "an earlier run found nothing");
                                origin.put(added, acknowledged.value(), acknowledged.writeTimeMicros());
                            }
                            beat();
                        })
                        .repair(origin)
                        .build()
                        .run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("phase=3");

        assertThat(origin.all()).contains(acknowledged);
    }

    @Test
    void shouldKeepToItsRateOnTheWayBackAndGoOnWhereItStopped() throws Exception {
        walkToFive();
        Path file = directory.resolve("reverse.json");
        target.reading = entry -> {
            if (entry.value().equals("v99")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> reverse(this::beat)
                        .checkpoint(file)
                        .retries(1, Duration.ZERO)
                        .build()
                        .run())
                .isInstanceOf(JobFailedException.class);
        target.reading = entry -> {};

        ReverseResult resumed = reverse(this::beat).checkpoint(file).build().run();
        assertThat(resumed.verification().resumedRanges()).isEqualTo(3);
        assertThat(resumed.verification().entries()).isEqualTo(ENTRIES);

        ReverseResult slow = reverse(this::beat)
                .checkpoint(file)
                .parallel(1)
                .rowsPerSecond(10)
                .build()
                .run();
        assertThat(slow.verification().resumedRanges()).isZero();
        assertThat(slow.verification().seconds()).isBetween(9.5, 10.5);
    }

    @Test
    void shouldBeginAnewOnTheWayBackFromAnotherTime() throws Exception {
        walkToFive();
        Path file = directory.resolve("reverse.json");
        target.reading = entry -> {
            if (entry.value().equals("v99")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> reverse(this::beat)
                        .checkpoint(file)
                        .retries(1, Duration.ZERO)
                        .build()
                        .run())
                .isInstanceOf(JobFailedException.class);
        target.reading = entry -> {};
        time.pass(1);
        backAndForthToFive();

        ReverseResult result = reverse(this::beat).checkpoint(file).build().run();

        assertThat(result.verification().resumedRanges()).isZero();
    }

    private void backAndForthToFive() throws Exception {
        verification().build().run();
        while (control.current().phase() != Phase.TARGET_ONLY) {
            advance();
        }
    }

    @Test
    void shouldShowItselfAmongTheInstancesOnTheWayBack() throws Exception {
        walkToFive();
        List<Heartbeat> seen = new CopyOnWriteArrayList<>();
        PhaseStore watched = watched((proxy, method, arguments) -> {
            if (method.getName().equals("heartbeat")) {
                seen.add((Heartbeat) arguments[1]);
            }
            return method.invoke(store, arguments);
        });

        reverse(this::beat).phases(watched, control, "me").build().run();

        assertThat(seen)
                .last()
                .satisfies(heartbeat -> assertThat(heartbeat.facts())
                        .containsEntry(Facts.KIND, "verify")
                        .containsEntry(Facts.ROWS, Integer.toString(ENTRIES)));
        assertThat(control.notes())
                .filteredOn(note -> note.kind() == PhaseNote.Kind.VERIFICATION)
                .as("none of the way back")
                .hasSize(2);
    }

    @Test
    void shouldNameWhoKeepsTheWayBackWaiting() throws Exception {
        walkToFive();
        facts.put(Facts.DIRTY_ORIGIN, "2");
        beat();

        assertThatThrownBy(() -> reverse(this::beat).build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("one (2 keys)");
        assertThat(control.notes()).extracting(PhaseNote::kind).doesNotContain(PhaseNote.Kind.REVERSE_BACKFILL);
    }

    @Test
    void shouldNotGoBackFromWhereBothSidesAreWritten() {
        advance();

        assertThatThrownBy(() -> reverse(this::beat).build().run())
                .isInstanceOf(GateException.class)
                .hasMessageContaining("nothing to reverse");
        assertThat(control.current().phase()).isEqualTo(Phase.WRITE_BOTH);
    }
}
