package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.journal.PersistentJournal;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class WriteRouteTest {
    private Rig rig;

    private Rig rig(Phase phase) {
        rig = new Rig(phase);
        return rig;
    }

    @AfterEach
    void everyOperationLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ORIGIN_ONLY, true, false",
        "WRITE_BOTH, true, true",
        "READ_TARGET, true, true",
        "TARGET_FIRST, true, true",
        "WRITE_TARGET, false, true",
        "TARGET_ONLY, false, true"
    })
    void shouldWriteTheSidesOfThePhase(Phase phase, boolean origin, boolean target) {
        rig(phase).write("k", "v").join();

        assertThat(rig.origin.rows.containsKey("k")).isEqualTo(origin);
        assertThat(rig.target.rows.containsKey("k")).isEqualTo(target);
    }

    @ParameterizedTest
    @CsvSource({
        "ORIGIN_ONLY, true, false",
        "WRITE_BOTH, true, true",
        "READ_TARGET, true, true",
        "TARGET_FIRST, true, true",
        "WRITE_TARGET, false, true",
        "TARGET_ONLY, false, true"
    })
    void shouldDeleteFromTheSidesOfThePhase(Phase phase, boolean origin, boolean target) {
        rig(phase).origin.rows.put("k", "old");
        rig.target.rows.put("k", "old");

        rig.delete("k").join();

        assertThat(rig.origin.rows.containsKey("k")).isEqualTo(!origin);
        assertThat(rig.target.rows.containsKey("k")).isEqualTo(!target);
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"WRITE_BOTH", "READ_TARGET", "TARGET_FIRST"})
    void shouldWriteTheSideThatIsRightFirstAndAnswerItsAnswer(Phase phase) {
        rig(phase).origin.byHand();
        rig.target.byHand();
        Shop first = phase == Phase.TARGET_FIRST ? rig.target : rig.origin;
        Shop second = phase == Phase.TARGET_FIRST ? rig.origin : rig.target;

        for (CompletableFuture<Object> call : List.of(rig.write("k", "v"), rig.delete("l"))) {
            assertThat(second.waiting).isEmpty();
            first.waiting.remove().answer();
            if (second.waiting.isEmpty()) {
                first.waiting.remove().answer();
            }
            assertThat(call).isNotDone();
            second.waiting.remove().answer();
            assertThat(call).isCompletedWithValue(first.name);
        }
    }

    @Test
    void shouldGiveBothSidesOneTimeAndEveryWriteALaterOne() {
        rig(Phase.WRITE_BOTH).write("k", "v").join();
        rig.write("k", "w").join();

        assertThat(rig.origin.writeTimes)
                .isEqualTo(rig.target.writeTimes)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(rig.origin.writeTimes.get(0)).isPositive();
        assertThat(WriteTime.currentMicros()).isEmpty();
    }

    @Test
    void shouldGiveATimeInPhaseOneToo() throws Exception {
        rig(Phase.ORIGIN_ONLY).write("k", "v").join();
        rig.writeNow().call(new Rig.Ask(List.of("k"), "w"));

        assertThat(rig.origin.writeTimes).isSorted().doesNotHaveDuplicates().doesNotContain(0L);
        assertThat(WriteTime.currentMicros()).isEmpty();
    }

    @Test
    void shouldNeitherTryTheOtherSideNorJournalAfterASureFailure() {
        rig(Phase.WRITE_BOTH).outcomes = thrown -> SideOutcome.FAILED;
        rig.origin.fails(new IOException("refused"));

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isInstanceOf(IOException.class);
        assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        assertThat(rig.count(Counter.ORIGIN_FAILED)).isOne();
    }

    @Test
    void shouldJournalAFailureThatIsOneByItsNameAlone() {
        rig(Phase.WRITE_BOTH).origin.doesAndFails(new IOException("connection closed"));

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldJournalButNotTryTheOtherSideIfTheOutcomeIsUnknown() {
        rig(Phase.WRITE_BOTH).origin.doesAndFails(new TimeoutException("late"));

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isInstanceOf(TimeoutException.class);
        assertOutcomes(thrown, SideOutcome.UNKNOWN, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        assertThat(rig.count(Counter.JOURNALED)).isOne();
    }

    @ParameterizedTest
    @CsvSource({"READ_TARGET, ORIGIN, FAILED", "TARGET_FIRST, TARGET, UNKNOWN"})
    void shouldFailAndJournalIfTheOtherSideFails(Phase phase, Side right, SideOutcome outcome) {
        rig(phase);
        Throwable own = outcome == SideOutcome.FAILED ? new IOException("full") : new TimeoutException("late");
        (right == Side.ORIGIN ? rig.target : rig.origin).fails(own);

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isSameAs(own);
        boolean originRight = right == Side.ORIGIN;
        assertOutcomes(thrown, originRight ? SideOutcome.OK : outcome, originRight ? outcome : SideOutcome.OK);
        assertThat(rig.lacking(right.other())).containsExactly("k");
        assertThat(rig.lacking(right)).isEmpty();
    }

    @Test
    void shouldFailADeleteThatOneSideDidNotTake() {
        rig(Phase.TARGET_FIRST).origin.fails(new IOException("down"));
        rig.target.rows.put("k", "v");

        Throwable thrown = catchThrowable(() -> rig.delete("k").join()).getCause();

        assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.OK);
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
    }

    @Test
    void shouldAnswerTheOriginsAnswerIfTheCallerTrustsTheJournal() {
        rig(Phase.READ_TARGET).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.phases.change(Phase.READ_TARGET, 99);
        rig.target.fails(new IOException("down"));

        assertThat(rig.write("k", "v").join()).isEqualTo("origin");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldNotForgiveAFailingTargetOnceAllReadsBeginThere() {
        rig(Phase.READ_TARGET).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.target.fails(new IOException("down"));

        assertThatThrownBy(() -> rig.write("k", "v").join()).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void shouldNotForgiveAFailingSideOnceTheTargetIsRight() {
        rig(Phase.TARGET_FIRST).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.origin.fails(new IOException("down"));

        assertThatThrownBy(() -> rig.write("k", "v").join()).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void shouldNotForgiveAFailingSideIfThereIsNoKeyToRemember() {
        rig(Phase.WRITE_BOTH).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.target.fails(new IOException("down"));

        assertThatThrownBy(() -> rig.clear().join()).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void shouldSayThatAKeyCouldNeitherBeWrittenNorRemembered() {
        rig(Phase.WRITE_BOTH).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.journal = new BrokenJournal(false);
        IOException own = new IOException("down");
        rig.target.fails(own);

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isInstanceOf(JournalException.class).hasSuppressedException(own);
        assertOutcomes(thrown, SideOutcome.OK, SideOutcome.FAILED);
    }

    @Test
    void shouldShowTheSidesFailureAndThatItIsNotRemembered() {
        rig(Phase.WRITE_BOTH).journal = new BrokenJournal(false);
        rig.origin.fails(new TimeoutException("late"));

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isInstanceOf(TimeoutException.class);
        assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(JournalException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"WRITE_BOTH", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldRefuseAWriteThatCanNotBeNamedBeforehand(Phase phase) {
        rig(phase).journal = new BrokenJournal(true);

        Throwable thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();

        assertThat(thrown).isInstanceOf(JournalException.class);
        assertOutcomes(thrown, SideOutcome.NOT_ATTEMPTED, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.origin.calls).isEmpty();
        assertThat(rig.target.calls).isEmpty();
    }

    @Test
    void shouldHaveNamedTheKeyWhenTheProcessDiesBetweenTheSides() {
        rig(Phase.WRITE_BOTH).journal = new PersistentJournal();
        rig.target.byHand();
        CompletableFuture<Object> write = rig.write("k", "v");

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");

        rig.target.waiting.remove().answer();
        assertThat(write).isCompleted();
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    @Test
    void shouldForgetTheNameOfAWriteThatSurelyDidNothing() {
        rig(Phase.WRITE_BOTH).journal = new PersistentJournal();
        rig.outcomes = thrown -> SideOutcome.FAILED;
        rig.origin.fails(new IOException("refused"));

        assertThatThrownBy(() -> rig.write("k", "v").join()).hasCauseInstanceOf(IOException.class);

        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    @Test
    void shouldKeepAKeyThatLackedSomethingBeforeThoughALaterWriteSucceeded() {
        rig(Phase.WRITE_BOTH).journal = new PersistentJournal();
        rig.target.fails(new IOException("down"));
        catchThrowable(() -> rig.write("k", "v").join());
        rig.target.atOnce();

        rig.write("k", "w").join();

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"WRITE_TARGET", "TARGET_ONLY"})
    void shouldRememberForGoodWhatTheOriginLacksFromPhaseFourOn(Phase phase) {
        rig(phase).target.byHand();
        CompletableFuture<Object> write = rig.write("k", "v");

        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");

        rig.target.waiting.remove().answer();
        assertThat(write).isCompleted();
        rig.target.atOnce();
        rig.delete("l").join();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k", "l");
    }

    @Test
    void shouldRememberThatEverythingChanged() {
        rig(Phase.TARGET_ONLY).clear().join();

        assertThat(rig.lacking(Side.ORIGIN)).containsExactly(DirtyKeys.EVERYTHING);
    }

    @Test
    void shouldRememberNothingIfToldSo() {
        rig(Phase.WRITE_TARGET).rememberWrites = false;

        rig.write("k", "v").join();

        assertThat(rig.lacking(Side.ORIGIN)).isEmpty();
    }

    @Test
    void shouldRememberAKeyThoughAWriteOfTheStepBeforeIsUnderWay() {
        rig(Phase.TARGET_FIRST).journal = new PersistentJournal();
        rig.orderWrites = false;
        rig.origin.byHand();
        CompletableFuture<Object> before = rig.write("k", "v");
        rig.phases.change(Phase.WRITE_TARGET);
        rig.write("k", "w").join();

        rig.origin.waiting.remove().answer();

        assertThat(before).isCompleted();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
    }

    @Test
    void shouldDoAConditionalWriteOnceAndCopyItsResult() {
        rig(Phase.WRITE_BOTH).origin.rows.put("k", "first");
        rig.target.rows.put("k", "other");

        assertThat(rig.putIfAbsent("k", "second").join()).isEqualTo(false);

        assertThat(rig.target.rows).containsEntry("k", "first");
        assertThat(rig.target.calls).doesNotContain("putIfAbsent k");
    }

    @Test
    void shouldIncrementOnceOnTheSideThatIsRight() {
        rig(Phase.TARGET_FIRST).target.rows.put("k", "a");

        assertThat(rig.append("k", "b").join()).isEqualTo("ab");

        assertThat(rig.origin.rows).containsEntry("k", "ab");
        assertThat(rig.origin.calls).doesNotContain("append k");
        assertThat(rig.target.calls).containsOnlyOnce("append k");
    }

    @Test
    void shouldNeverRepeatAnIncrementWhoseOutcomeIsUnknown() {
        rig(Phase.WRITE_BOTH).origin.doesAndFails(new TimeoutException("late"));

        catchThrowable(() -> rig.append("k", "b").join());
        rig.origin.atOnce();
        rig.engine().redrive(Side.TARGET, 10);
        rig.threads.runShadow();

        assertThat(rig.origin.calls).containsOnlyOnce("append k");
        assertThat(rig.target.rows).containsEntry("k", "b");
    }

    @ParameterizedTest
    @CsvSource({"WRITE_BOTH, ORIGIN", "READ_TARGET, ORIGIN", "TARGET_FIRST, TARGET"})
    void shouldNotAcknowledgeAConditionalWriteWhoseCopyFailed(Phase phase, Side right) {
        Shop other = right == Side.ORIGIN ? rig(phase).target : rig(phase).origin;
        IOException own = new IOException("down");
        rig.whenCopied = () -> {
            if (rig.takenAwayBeforeMicros.size() == 2) {
                other.fails(own);
            }
        };

        Throwable thrown =
                catchThrowable(() -> rig.putIfAbsent("k", "v").join()).getCause();

        assertThat(thrown).isSameAs(own);
        boolean originRight = right == Side.ORIGIN;
        assertOutcomes(
                thrown,
                originRight ? SideOutcome.OK : SideOutcome.UNKNOWN,
                originRight ? SideOutcome.UNKNOWN : SideOutcome.OK);
        assertThat(rig.lacking(right.other())).containsExactly("k");
    }

    @Test
    void shouldDecideNothingWhereTheOtherSideCanNotHaveWhatIsThereBefore() {
        IOException own = new IOException("down");
        rig(Phase.READ_TARGET).target.fails(own);

        Throwable thrown =
                catchThrowable(() -> rig.putIfAbsent("k", "v").join()).getCause();

        assertThat(thrown).isSameAs(own);
        assertOutcomes(thrown, SideOutcome.NOT_ATTEMPTED, SideOutcome.NOT_ATTEMPTED);
        assertThat(rig.origin.rows).isEmpty();
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    /** The order that a deletion at the time of the value needs. */
    @Test
    void shouldCopyTheKeyBeforeADecisionAndAfterIt() {
        rig(Phase.WRITE_BOTH).origin.rows.put("k", "first");
        List<String> seen = new ArrayList<>();
        rig.whenCopied = () -> seen.addAll(rig.origin.calls);

        rig.putIfAbsent("k", "second").join();

        assertThat(rig.target.calls).containsExactly("write k=first", "write k=first");
        assertThat(seen).containsExactly("read k", "putIfAbsent k");
    }

    @Test
    void shouldCopyNothingBeforeADecisionWhereADeletionHasNoTime() {
        rig(Phase.WRITE_BOTH).guarantee = KeyCopy.Guarantee.NONE;
        rig.origin.rows.put("k", "first");

        rig.putIfAbsent("k", "second").join();

        assertThat(rig.origin.calls).startsWith("putIfAbsent k");
    }

    @Test
    void shouldAnswerAConditionalWriteThatTheOriginMayAcknowledgeAlone() {
        rig(Phase.WRITE_BOTH).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.target.fails(new IOException("down"));

        assertThat(rig.putIfAbsent("k", "v").join()).isEqualTo(true);
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldLeaveTheOriginAsItWasInPhaseFourAndRememberEveryKey() {
        rig(Phase.WRITE_TARGET).origin.rows.put("k", "old");

        rig.putIfAbsent("k", "new").join();
        rig.append("l", "b").join();
        rig.delete("m").join();

        assertThat(rig.origin.calls).isEmpty();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k", "l", "m");
    }

    @Test
    void shouldOrderWritesToAKeyOnBothSides() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        rig.target.byHand();
        CompletableFuture<Object> first = rig.write("k", "1");
        CompletableFuture<Object> second = rig.write("k", "2");
        CompletableFuture<Object> other = rig.write("other", "3");

        assertThat(rig.origin.waiting).hasSize(2);
        rig.origin.waiting.remove().answer();
        rig.origin.waiting.remove().answer();
        assertThat(rig.origin.waiting).isEmpty();
        rig.target.waiting.remove().answer();
        assertThat(first).isCompleted();
        rig.origin.waiting.remove().answer();
        rig.target.waiting.remove().answer();
        rig.target.waiting.remove().answer();

        assertThat(List.of(second, other)).allMatch(CompletableFuture::isDone);
        assertThat(rig.target.rows).isEqualTo(rig.origin.rows).containsEntry("k", "2");
    }

    @Test
    void shouldOrderWritesToSeveralKeysAmongThoseToOne() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        rig.writeAll(List.of("a", "b"), "1");
        CompletableFuture<Object> second = rig.writeAll(List.of("b", "c"), "2");
        CompletableFuture<Object> third = rig.write("b", "3");
        rig.origin.atOnce();

        assertThat(rig.origin.waiting).hasSize(1);
        rig.origin.waiting.remove().answer();

        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
        assertThat(rig.target.rows)
                .isEqualTo(rig.origin.rows)
                .containsEntry("b", "3")
                .containsEntry("c", "2");
    }

    @Test
    void shouldNotMakeWritesWaitIfTheDaoOrdersThem() {
        rig(Phase.WRITE_BOTH).orderWrites = false;
        rig.origin.byHand();
        CompletableFuture<Object> first = rig.write("k", "1");
        CompletableFuture<Object> second = rig.write("k", "2");

        assertThat(rig.origin.waiting).hasSize(2);
        rig.origin.waiting.forEach(Shop.Call::answer);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    @Test
    void shouldActToItsEndByThePhaseInWhichItBegan() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        CompletableFuture<Object> write = rig.write("k", "v");

        rig.phases.change(Phase.ORIGIN_ONLY);
        assertThat(rig.phases.drained()).isFalse();
        rig.origin.waiting.remove().answer();

        assertThat(write).isCompleted();
        assertThat(rig.target.rows).containsEntry("k", "v");
    }

    @Test
    void shouldThrowWhatASideThrewThoughNobodyDeclaredIt() {
        rig(Phase.ORIGIN_ONLY).origin.fails(new IOException("undeclared"));

        Throwable alone = catchThrowable(() -> rig.writeNow().call(new Rig.Ask(List.of("k"), "v")));
        rig.phases.change(Phase.WRITE_BOTH);
        Throwable first = catchThrowable(() -> rig.writeNow().call(new Rig.Ask(List.of("k"), "v")));

        assertThat(alone).isInstanceOf(IOException.class).hasMessage("undeclared");
        assertOutcomes(alone, SideOutcome.FAILED, SideOutcome.NOT_ATTEMPTED);
        assertThat(first).isSameAs(alone);
    }

    @Test
    void shouldNotGatherWhatItAttachesToAnExceptionThatIsThrownAgainAndAgain() {
        rig(Phase.WRITE_BOTH).origin.fails(new IOException("the same"));

        Throwable thrown = null;
        for (int i = 0; i < 3; i++) {
            thrown = catchThrowable(() -> rig.write("k", "v").join()).getCause();
        }

        assertThat(thrown.getSuppressed()).hasSize(1);
    }

    @Test
    void shouldLeaveItsPhaseAndFreeTheKeyIfTheCallersOwnCodeBreaks() {
        rig(Phase.WRITE_BOTH);
        OperationSpec<Shop, Rig.Ask, Object> broken = new OperationSpec<>(
                "broken",
                OperationKind.WRITE,
                ask -> {
                    throw new IllegalStateException("keys");
                },
                (dao, ask) -> null,
                null,
                Missing.DEFAULT,
                null,
                null);
        OperationSpec<Shop, Rig.Ask, CompletableFuture<Object>> nothing =
                Rig.spec(OperationKind.WRITE, "nothing", (dao, ask) -> null, null);

        assertThatThrownBy(() -> rig.engine().operation(broken).call(Rig.Ask.of("k")))
                .hasMessage("keys");
        assertThatThrownBy(() -> rig.call(nothing, Rig.Ask.of("k")).join())
                .hasCauseInstanceOf(NullPointerException.class);
        assertThat(rig.write("k", "v")).isCompleted();
    }

    @Test
    void shouldLetASynchronousWriteWaitForOneThatIsUnderWay() throws Exception {
        rig(Phase.WRITE_BOTH).origin.byHand();
        CompletableFuture<Object> first = rig.write("k", "1");
        DualOperation<Rig.Ask, Object> write = rig.writeNow();
        rig.origin.atOnce();
        CompletableFuture<Thread> onThread = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                write.call(new Rig.Ask(List.of("k"), "2"));
                onThread.complete(Thread.currentThread());
            } catch (Exception thrown) {
                onThread.completeExceptionally(thrown);
            }
        });
        caller.start();

        rig.origin.waiting.remove().answer();

        assertThat(onThread.get()).isSameAs(caller);
        caller.join();
        assertThat(first).isCompleted();
        assertThat(rig.target.rows).containsEntry("k", "2");
    }

    static void assertOutcomes(Throwable thrown, SideOutcome origin, SideOutcome target) {
        OutcomePerSide outcome = OutcomePerSide.of(thrown).orElseThrow();
        assertThat(outcome.origin()).isEqualTo(origin);
        assertThat(outcome.target()).isEqualTo(target);
    }

    @Test
    void shouldNotLetCallersOfOneKeyGatherWithoutEnd() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        List<CompletableFuture<Object>> calls = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            calls.add(rig.write("k", "v" + i));
        }

        assertThat(calls.stream().filter(call -> !call.isDone())).hasSize(1_001);
        assertThatThrownBy(() -> calls.get(4_999).join())
                .hasRootCauseMessage("too many wait for a key, waiting=write of [k], for=write of [k]");
        rig.threads.pass(Duration.ofSeconds(10).toNanos());
        assertThat(calls.stream().filter(call -> !call.isDone())).hasSize(1);
        rig.origin.waiting.remove().answer();
        assertThat(calls.get(0)).isCompleted();
        assertThat(rig.target.rows).containsEntry("k", "v0");
        assertThat(rig.threads.timedWaiting()).isZero();
    }
}
