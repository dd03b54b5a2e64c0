package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestModeTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private Rig rig;

    private Rig rig(Phase phase) {
        rig = new Rig(phase);
        rig.mode = Mode.TEST;
        return rig;
    }

    @AfterEach
    void everyOperationLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldWriteAndAnswerFromTheOriginInEveryPhase(Phase phase) {
        rig(phase).origin.rows.put("k", "origin");
        rig.target.rows.put("k", "target");

        assertThat(rig.read("k").join()).isEqualTo("origin");
        assertThat(rig.write("k", "new").join()).isEqualTo("origin");
        assertThat(rig.origin.rows).containsEntry("k", "new");
        assertThat(rig.delete("k").join()).isEqualTo("origin");
        assertThat(rig.origin.rows).isEmpty();
        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.phases.drained()).isTrue();

        rig.threads.runShadow();
        boolean written = phase != Phase.ORIGIN_ONLY;
        assertThat(rig.target.calls.contains("write k=new")).isEqualTo(written);
        assertThat(rig.target.calls.contains("delete k")).isEqualTo(written);
        assertThat(rig.target.calls.contains("read k")).isEqualTo(phase.readsTarget());
        assertThat(rig.lacking(Side.ORIGIN)).isEmpty();
    }

    @Test
    void shouldHideAllThatTheTargetThrows() {
        rig(Phase.TARGET_ONLY).target.fails(new IOException("down"));
        rig.origin.rows.put("k", "v");

        assertThat(rig.read("k").join()).isEqualTo("v");
        rig.threads.runShadow();
        assertThat(rig.write("k", "w").join()).isEqualTo("origin");
        rig.threads.runShadow();

        assertThat(rig.count(Counter.TARGET_FAILED)).isEqualTo(2);
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldShowWhatTheOriginThrows() {
        rig(Phase.TARGET_ONLY).origin.fails(new TimeoutException("late"));

        Throwable read = catchThrowable(() -> rig.read("k").join()).getCause();
        Throwable write = catchThrowable(() -> rig.write("k", "v").join()).getCause();
        rig.threads.runShadow();

        assertThat(read).isInstanceOf(TimeoutException.class);
        WriteRouteTest.assertOutcomes(write, SideOutcome.UNKNOWN, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.target.calls).containsExactly("read k");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldNotHoldCallersNorMemoryWhenTheTargetNeverAnswers() {
        rig(Phase.TARGET_ONLY).target.byHand();
        rig.origin.rows.put("k", "v");
        for (int i = 0; i < 100; i++) {
            assertThat(rig.read("k")).isCompletedWithValue("v");
            assertThat(rig.write("k" + i, "v")).isCompleted();
            rig.threads.runShadow();
        }

        int held = rig.shadow.threads() + rig.shadow.queueLength();
        assertThat(rig.target.waiting).hasSizeLessThanOrEqualTo(held);
        assertThat(rig.count(Counter.DROPPED_READS)).isGreaterThan(90);
        assertThat(rig.count(Counter.DROPPED_WRITES)).isGreaterThan(90);
        assertThat(rig.lacking(Side.TARGET)).hasSizeGreaterThan(90);
        assertThat(rig.phases.drained()).isTrue();
    }

    @Test
    void shouldNotHoldSynchronousCallersWhenTheTargetHangs() throws Exception {
        rig(Phase.TARGET_ONLY).environmentThreads = DualEnvironment.system().threads();
        rig.shadow = new ShadowConfig(1, 2);
        CountDownLatch hanging = new CountDownLatch(1);
        OperationSpec<Shop, Rig.Ask, Object> hangs = new OperationSpec<>(
                "hangs",
                OperationKind.WRITE,
                Rig.Ask::keys,
                (dao, ask) -> {
                    if (dao == rig.target) {
                        hanging.await();
                    }
                    return dao.name;
                },
                null,
                Missing.DEFAULT,
                null,
                null);
        DualOperation<Rig.Ask, Object> write = rig.engine().operation(hangs);

        for (int i = 0; i < 10; i++) {
            assertThat(write.call(Rig.Ask.of("k"))).isEqualTo("origin");
        }

        assertThat(rig.count(Counter.DROPPED_WRITES)).isGreaterThanOrEqualTo(7);
        hanging.countDown();
        rig.engine().close(Duration.ofMinutes(1));
    }

    @Test
    void shouldRememberKeysNobodyCanCopyOnlyAsANumber() {
        rig(Phase.WRITE_BOTH).target.fails(new IOException("down"));
        rig.copying = false;

        rig.write("k", "v").join();
        rig.threads.runShadow();

        assertThat(rig.count(Counter.TARGET_FAILED)).isOne();
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldDoACallWhoseKeysNobodyCanTellAtTheOriginAlone(Phase phase) throws Exception {
        rig(phase).origin.rows.put("k", "v");
        DualOperation<Rig.Ask, Object> save = rig.engine().operation(ofUnknownKeys(OperationKind.WRITE));
        DualOperation<Rig.Ask, Object> find = rig.engine().operation(ofUnknownKeys(OperationKind.READ));

        assertThat(save.call(Rig.Ask.of("k"))).isEqualTo("origin");
        assertThat(find.call(Rig.Ask.of("k"))).isEqualTo("origin");
        rig.threads.runShadow();

        assertThat(rig.count(Counter.DROPPED_WRITES)).isEqualTo(phase == Phase.ORIGIN_ONLY ? 0 : 1);
        assertThat(rig.count(Counter.DROPPED_READS)).isEqualTo(phase.readsTarget() ? 1 : 0);
    }

    @Test
    void shouldShowWhatTheOriginThrowsOfACallWhoseKeysNobodyCanTell() {
        rig(Phase.READ_TARGET).origin.fails(new IOException("down"));

        for (OperationKind kind : List.of(OperationKind.WRITE, OperationKind.READ)) {
            Throwable thrown = catchThrowable(
                    () -> rig.engine().operation(ofUnknownKeys(kind)).call(Rig.Ask.of("k")));
            assertThat(thrown).isInstanceOf(IOException.class);
            WriteRouteTest.assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.NOT_ATTEMPTED);
        }
    }

    private OperationSpec<Shop, Rig.Ask, Object> ofUnknownKeys(OperationKind kind) {
        return new OperationSpec<>(
                kind.name(),
                kind,
                ask -> {
                    throw new IllegalArgumentException("null key");
                },
                (dao, ask) -> {
                    try {
                        return dao.write("k", "v").join();
                    } catch (CompletionException failed) {
                        throw failed.getCause();
                    }
                },
                null,
                Missing.DEFAULT,
                null,
                null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotMakeAWriteWaitForAnotherAtTheOrigin(boolean copying) {
        rig(Phase.READ_TARGET).copying = copying;
        rig.origin.byHand();
        CompletableFuture<Object> one = rig.write("k", "1");
        CompletableFuture<Object> two = rig.write("k", "2");
        assertThat(rig.origin.waiting).hasSize(2);

        Shop.Call late = rig.origin.waiting.remove();
        rig.origin.waiting.remove().answer();
        assertThat(two).isCompleted();
        late.answer();
        rig.origin.rows.put("k", "2"); // it took them the other way round
        assertThat(one).isCompleted();
        rig.threads.runShadow();
        assertThat(rig.target.rows).containsEntry("k", "1");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");

        rig.origin.atOnce();
        rig.read("k").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).as("nobody knows the order").isZero();
        rig.engine().redrive(Side.TARGET, 10);
        rig.threads.runShadow();

        assertThat(rig.target.rows).containsEntry("k", copying ? "2" : "1");
        rig.read("k").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).isEqualTo(copying ? 1 : 0);
        assertThat(rig.count(Counter.MISMATCHES)).isZero();
    }

    @Test
    void shouldNotDoubtTheOrderOfWritesThatFollowEachOther() {
        rig(Phase.READ_TARGET).target.byHand();
        for (int i = 0; i < 3; i++) {
            rig.write("k", "v" + i).join();
        }

        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        rig.engine().close(Duration.ZERO);
    }

    @Test
    void shouldNotFailACallSinceTheJournalIsFull() {
        rig(Phase.WRITE_BOTH).journal = new BrokenJournal(true);
        rig.target.fails(new IOException("down"));

        assertThat(rig.write("k", "v").join()).isEqualTo("origin");
        rig.threads.runShadow();
    }

    @Test
    void shouldWriteTheTargetInTheOrderOfTheOrigin() {
        rig(Phase.WRITE_BOTH).target.byHand();
        rig.writeAll(List.of("a", "b"), "1").join();
        rig.write("b", "2").join();
        rig.write("c", "3").join();
        rig.writeAll(List.of("b", "c"), "4").join();
        rig.threads.runShadow();

        assertThat(rig.target.waiting).extracting(call -> call.what).containsExactly("write [a, b]=1", "write c=3");
        while (!rig.target.waiting.isEmpty()) {
            rig.target.waiting.remove().answer();
            rig.threads.runShadow();
        }

        assertThat(rig.target.rows).isEqualTo(rig.origin.rows).isEqualTo(Map.of("a", "1", "b", "4", "c", "4"));
        assertThat(rig.target.writeTimes).hasSize(2).containsExactlyInAnyOrderElementsOf(rig.origin.writeTimes);
    }

    @Test
    void shouldCopyWhatConditionalWritesAndIncrementsCameTo() {
        rig(Phase.WRITE_TARGET).origin.rows.put("k", "a");
        rig.append("k", "b").join();
        rig.putIfAbsent("l", "v").join();
        assertThat(rig.target.calls).isEmpty();

        rig.threads.runShadow();

        assertThat(rig.target.rows).isEqualTo(Map.of("k", "ab", "l", "v"));
        assertThat(rig.target.calls).doesNotContain("append k", "putIfAbsent l");
    }

    @Test
    void shouldSkipTheTargetForConditionalWritesThatNobodyCanCopy() {
        rig(Phase.WRITE_BOTH).copying = false;

        rig.append("k", "b").join();
        rig.threads.runShadow();

        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.count(Counter.DROPPED_WRITES)).isOne();
    }

    @Test
    void shouldCompareAnswersAndBelieveADifferenceOnlyWhenItIsReadAgain() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "v");
        rig.target.rows.put("k", "other");
        rig.read("k").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).isOne();
        assertThat(rig.count(Counter.MISMATCHES)).isZero();

        rig.threads.pass(SECOND_NANOS);
        rig.threads.runShadow();

        assertThat(rig.count(Counter.MISMATCHES)).isOne();
        assertThat(rig.count(Counter.COMPARED)).isOne();
        assertThat(rig.stats.mismatches()).hasSize(1);
    }

    @Test
    void shouldNotBelieveADifferenceThatGoesAway() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "v");
        rig.read("k").join();
        rig.threads.runShadow();
        rig.target.rows.put("k", "v");

        rig.threads.pass(SECOND_NANOS);
        rig.threads.runShadow();

        assertThat(rig.count(Counter.MISMATCHES)).isZero();
    }

    @Test
    void shouldNotCompareAnswersOfAKeyThatIsBeingWritten() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "old");
        rig.write("k", "new").join();
        rig.read("k").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).isZero();

        rig.read("k").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).isOne();
        assertThat(rig.count(Counter.MISMATCHES)).isZero();
    }

    @Test
    void shouldNotCompareAnswersOfAKeyThatTheTargetIsKnownToLack() {
        rig(Phase.WRITE_TARGET).origin.rows.put("k", "v");
        rig.journal.add(Side.TARGET, "k", "");

        rig.read("k").join();
        rig.threads.runShadow();

        assertThat(rig.count(Counter.COMPARED)).isZero();
    }

    @Test
    void shouldCompareASampleOfTheKeys() {
        rig(Phase.WRITE_TARGET).comparePercent = 30;
        for (int i = 0; i < 100; i++) {
            rig.read("k" + i).join();
            rig.threads.runShadow();
        }

        assertThat(rig.count(Counter.COMPARED)).isBetween(15L, 45L);
        assertThat(rig.target.calls).hasSize(100);
    }

    @Test
    void shouldNotBurdenTheOriginWithABadTarget() {
        rig(Phase.WRITE_TARGET);
        for (int i = 0; i < 1000; i++) {
            rig.origin.rows.put("k" + i, "v");
            rig.read("k" + i).join();
            rig.threads.runShadow();
        }
        rig.origin.calls.clear();

        rig.threads.pass(SECOND_NANOS);
        rig.threads.runShadow();

        assertThat(rig.origin.calls).hasSizeLessThanOrEqualTo(64);
    }

    @Test
    void shouldCompareOffTheCallersThread() {
        rig(Phase.READ_TARGET).origin.byHand();
        rig.target.rows.put("k", "other");
        CompletableFuture<Object> read = rig.read("k");
        rig.threads.runShadow();

        rig.origin.waiting.remove().answer();
        assertThat(read).isCompleted();
        assertThat(rig.count(Counter.COMPARED)).isZero();
        rig.threads.runShadow();

        assertThat(rig.count(Counter.COMPARED)).isOne();
    }

    @Test
    void shouldCopyWhatTheTargetLacksAmongItsWrites() {
        rig(Phase.WRITE_BOTH).target.fails(new IOException("down"));
        rig.write("k", "1").join();
        rig.threads.runShadow();
        rig.target.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 10).toCompletableFuture();
        rig.threads.runShadow();

        assertThat(rig.write("k", "2")).isCompleted();
        rig.threads.runShadow();
        assertThat(rig.target.waiting).extracting(call -> call.what).containsExactly("write k=1");
        rig.target.waiting.remove().answer();
        rig.threads.runShadow();
        rig.target.waiting.remove().answer();

        assertThat(redrive).isCompletedWithValue(1);
        assertThat(rig.target.rows).containsEntry("k", "2");
    }

    @Test
    void shouldLeaveInTheJournalWhatTheTargetDidNotTakeByTheEnd() {
        rig(Phase.WRITE_BOTH).target.byHand();
        rig.write("k", "1").join();
        rig.write("l", "2").join();
        rig.write("l", "3").join();
        rig.threads.runShadow();

        rig.engine().close(Duration.ZERO);

        assertThat(rig.lacking(Side.TARGET)).containsExactlyInAnyOrder("k", "l");
        assertThat(rig.write("m", "4").join()).isEqualTo("origin");
        assertThat(rig.lacking(Side.TARGET)).contains("m");
    }
}
