package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.journal.PersistentJournal;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.transaction.CommittedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a test does to the rows of a side is what its database does at the end of a transaction. */
final class TransactionsTest {
    private final TransactionsByHand transactions = new TransactionsByHand();
    private Rig rig;

    private Rig rig(Phase phase) {
        rig = new Rig(phase);
        rig.transactions = transactions;
        rig.guarantee = KeyCopy.Guarantee.NONE;
        return rig;
    }

    @AfterEach
    void everyOperationLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"WRITE_BOTH", "READ_TARGET", "TARGET_FIRST"})
    void shouldWriteTheOtherSideAfterTheCommit(Phase phase) {
        rig(phase);
        Shop right = phase == Phase.TARGET_FIRST ? rig.target : rig.origin;
        Shop other = phase == Phase.TARGET_FIRST ? rig.origin : rig.target;
        Side lacking = phase.authority().other();
        other.rows.put("l", "old");
        right.rows.put("l", "old");
        transactions.enter("one");

        assertThat(rig.write("k", "v").join()).isEqualTo(right.name);
        assertThat(rig.delete("l").join()).isEqualTo(right.name);
        assertThat(rig.putIfAbsent("m", "v").join()).isEqualTo(true);
        assertThat(rig.append("m", "w").join()).isEqualTo("vw");
        assertThat(other.calls).isEmpty();
        assertThat(rig.lacking(lacking)).containsExactlyInAnyOrder("k", "l", "m");
        transactions.commit();

        assertThat(other.rows).isEqualTo(right.rows).containsOnlyKeys("k", "m");
        assertThat(rig.lacking(lacking)).isEmpty();
    }

    @Test
    void shouldLeaveTheOtherSideAloneAfterARollback() {
        rig(Phase.READ_TARGET).target.rows.put("k", "old");
        rig.origin.rows.put("k", "old");
        transactions.enter("one");
        rig.write("k", "new").join();

        rig.origin.rows.put("k", "old");
        transactions.rollBack();

        assertThat(rig.target.rows).containsEntry("k", "old");
        assertThat(rig.target.calls).containsExactly("read k");
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    @Test
    void shouldMakeSidesAlikeAfterARollbackThatTookNothingBack() {
        rig(Phase.TARGET_FIRST);
        transactions.enter("one");
        rig.write("k", "new").join();

        transactions.rollBack();

        assertThat(rig.target.rows).containsEntry("k", "new");
        assertThat(rig.origin.rows).containsEntry("k", "new");
        assertThat(rig.lacking(Side.ORIGIN)).isEmpty();
    }

    @Test
    void shouldKeepTheKeyWhereNobodySawTheSidesAlikeAfterARollback() {
        rig(Phase.WRITE_BOTH);
        transactions.enter("one");
        rig.write("k", "new").join();
        rig.target.fails(new IOException("down"));

        rig.origin.rows.remove("k");
        transactions.rollBack();

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    /** The sides are alike just now, and not any more once the database has gone on with the commit. */
    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"WRITE_BOTH", "READ_TARGET", "TARGET_FIRST"})
    void shouldKeepAKeyWhoseTransactionMayBeCommittedLater(Phase phase) {
        rig(phase);
        Shop right = phase == Phase.TARGET_FIRST ? rig.target : rig.origin;
        Shop other = phase == Phase.TARGET_FIRST ? rig.origin : rig.target;
        Side lacking = phase.authority().other();
        transactions.enter("one");
        rig.write("k", "new").join();
        right.rows.remove("k");

        transactions.lose();

        rig.engine().redrive(lacking, 10);
        rig.threads.runShadow();
        assertThat(rig.lacking(lacking)).containsExactly("k");
        right.rows.put("k", "new");
        rig.threads.pass(TimeUnit.SECONDS.toNanos(Transactions.IN_DOUBT_SECONDS));
        rig.engine().redrive(lacking, 10);
        rig.threads.runShadow();
        assertThat(other.rows).containsEntry("k", "new");
        assertThat(rig.lacking(lacking)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(WritePolicy.class)
    void shouldRedriveNoKeyBeforeItsTransactionEnded(WritePolicy policy) {
        rig(Phase.WRITE_BOTH).policy = policy;
        rig.journal.add(Side.TARGET, "k", "a write failed");
        transactions.enter("one");
        rig.write("k", "uncommitted").join();
        transactions.enter(null);

        CompletableFuture<Integer> redriven =
                rig.engine().redrive(Side.TARGET, 10).toCompletableFuture();
        rig.threads.runShadow();

        assertThat(redriven).isCompletedWithValue(0);
        assertThat(rig.target.rows).isEmpty();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        transactions.enter("one");
        rig.origin.rows.remove("k");
        transactions.rollBack();
    }

    @Test
    void shouldNotWaitForAKeyWhileItsTransactionHoldsLocks() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        transactions.enter("one");
        CompletableFuture<Object> atOneRowLock = rig.write("k", "1");
        transactions.enter("two");
        CompletableFuture<Object> atAnother = rig.write("k", "2");

        assertThat(rig.origin.waiting).hasSize(2);
        rig.origin.waiting.remove().answer();
        transactions.enter("one");
        rig.origin.atOnce();
        transactions.commit();
        assertThat(rig.target.rows).containsEntry("k", "1");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        rig.origin.waiting.remove().answer();
        transactions.enter("two");
        transactions.commit();

        assertThat(rig.target.rows).containsEntry("k", "2");
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        assertThat(atOneRowLock).isCompleted();
        assertThat(atAnother).isCompleted();
    }

    @Test
    void shouldReadTheSideThatItWroteInATransactionAndElsewhereWhatWasCommitted() {
        rig(Phase.READ_TARGET).target.rows.put("k", "old");
        rig.origin.rows.put("k", "old");
        transactions.enter("one");
        rig.write("k", "new").join();

        assertThat(rig.read("k").join()).isEqualTo("new");
        assertThat(rig.readAll("k", "l").join()).hasToString("{k=new}");
        transactions.enter(null);
        assertThat(rig.read("k").join()).isEqualTo("old");
        transactions.enter("one");
        transactions.commit();
        assertThat(rig.read("k").join()).isEqualTo("new");
    }

    @Test
    void shouldNotFindInTheOriginWhatATransactionDeletedInTheTarget() {
        rig(Phase.TARGET_FIRST).target.rows.put("k", "old");
        rig.origin.rows.put("k", "old");
        transactions.enter("one");
        rig.delete("k").join();

        assertThat(rig.read("k").join()).isNull();
        transactions.commit();
        assertThat(rig.read("k").join()).isNull();
    }

    @Test
    void shouldStayOnTheThreadOfTheTransactionWhereReadsHaveALimit() throws Exception {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofHours(1);
        rig.speculative = 50;
        rig.environmentThreads = DualEnvironment.system().threads();
        DualOperation<Rig.Ask, Object> who = rig.engine()
                .operation(Rig.now(
                        OperationKind.READ,
                        "who",
                        (dao, ask) -> CompletableFuture.completedFuture(Thread.currentThread())));
        transactions.enter("one");

        assertThat(who.call(Rig.Ask.of("k"))).isSameAs(Thread.currentThread());

        transactions.commit();
        assertThat(who.call(Rig.Ask.of("k"))).isNotSameAs(Thread.currentThread());
        rig.engine().close(Duration.ofMinutes(1));
    }

    @Test
    void shouldFailTheCommitIfTheOtherSideDidNotTakeIt() {
        rig(Phase.READ_TARGET);
        transactions.enter("one");
        rig.write("k", "v").join();
        rig.write("l", "v").join();
        rig.target.fails(new IOException("down"));

        assertThatThrownBy(transactions::commit)
                .isInstanceOf(CommittedException.class)
                .hasMessageContaining("the TARGET lacks")
                .hasMessageEndingWith("name=rig, keys=[k, l]")
                .hasRootCauseInstanceOf(IOException.class)
                .satisfies(thrown -> assertThat(OutcomePerSide.of(thrown)).hasValueSatisfying(outcome -> {
                    assertThat(outcome.origin()).isEqualTo(SideOutcome.OK);
                    assertThat(outcome.target()).isEqualTo(SideOutcome.UNKNOWN);
                }));

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k", "l");
        rig.target.atOnce();
        rig.engine().redrive(Side.TARGET, 10);
        rig.threads.runShadow();
        assertThat(rig.target.rows).isEqualTo(rig.origin.rows);
    }

    @Test
    void shouldAcknowledgeTheCommitIfTheOriginMayStandAlone() {
        rig(Phase.WRITE_BOTH).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        transactions.enter("one");
        rig.write("k", "v").join();
        rig.target.fails(new IOException("down"));

        transactions.commit();

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldGoByThePhaseInWhichItBeganAndHoldTheNextOneUp() {
        rig(Phase.ORIGIN_ONLY);
        transactions.enter("one");
        rig.write("k", "v").join();
        rig.phases.change(Phase.WRITE_BOTH);
        rig.write("l", "v").join();

        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.phases.drained()).isFalse();
        transactions.commit();
        assertThat(rig.phases.drained()).isTrue();
        transactions.enter("two");
        rig.write("m", "v").join();
        transactions.commit();
        assertThat(rig.target.rows).containsOnlyKeys("m");
    }

    @Test
    void shouldNotOverwriteASideThatBecameRightMeanwhile() {
        rig(Phase.READ_TARGET);
        transactions.enter("one");
        rig.write("k", "v").join();
        rig.phases.change(Phase.TARGET_FIRST);
        rig.target.rows.put("k", "newer");

        assertThatThrownBy(transactions::commit)
                .isInstanceOf(CommittedException.class)
                .hasRootCauseMessage("the other side became right before the transaction ended");

        assertThat(rig.target.rows).containsEntry("k", "newer");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldCallTheOtherSideAfterTheCommitWhereThereIsNoKeyToCopy() {
        rig(Phase.WRITE_BOTH);
        transactions.enter("one");
        rig.clear().join();
        assertThat(rig.target.calls).isEmpty();
        transactions.commit();
        assertThat(rig.target.calls).containsExactly("write []=");
        transactions.enter("two");
        rig.clear().join();
        transactions.rollBack();

        assertThat(rig.target.calls).hasSize(1);
    }

    @Test
    void shouldWriteTheTargetAloneAtOnceOnceTheOriginIsNotWritten() {
        rig(Phase.TARGET_ONLY);
        transactions.enter("one");
        rig.write("k", "v").join();

        assertThat(rig.target.rows).containsEntry("k", "v");
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
        transactions.rollBack();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
    }

    @Test
    void shouldNameTheKeyInTheJournalBeforeTheTransactionWritesIt() {
        rig(Phase.WRITE_BOTH).journal = new PersistentJournal();
        rig.origin.byHand();
        transactions.enter("one");

        CompletableFuture<Object> write = rig.write("k", "v");

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        rig.origin.waiting.remove().answer();
        rig.origin.atOnce();
        assertThat(write).isCompleted();
        transactions.commit();
    }

    @Test
    void shouldTakeTransactionsApartThatTakeTurnsOnAThread() {
        rig(Phase.WRITE_BOTH);
        transactions.enter("outer");
        rig.write("k", "v").join();
        transactions.enter("inner");
        rig.write("l", "v").join();
        transactions.commit();
        assertThat(rig.target.rows).containsOnlyKeys("l");
        transactions.enter("outer");
        transactions.commit();

        assertThat(rig.target.rows).containsOnlyKeys("k", "l");
    }

    @Test
    void shouldLeaveTheTargetToTheRedriveInTestMode() {
        rig(Phase.READ_TARGET).mode = Mode.TEST;
        transactions.enter("one");
        rig.write("k", "uncommitted").join();
        rig.read("k").join();
        rig.threads.runShadow();

        assertThat(rig.target.calls).isEmpty();
        rig.target.fails(new IOException("down"));
        transactions.commit();
        assertThat(rig.target.calls).isEmpty();
        assertThat(rig.count(Counter.COMPARED)).isZero();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        rig.target.atOnce();
        rig.engine().redrive(Side.TARGET, 10);
        rig.threads.runShadow();
        assertThat(rig.target.rows).isEqualTo(rig.origin.rows);
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
    }

    @Test
    void shouldCopyOnAThreadThatIsInNoTransaction() {
        rig(Phase.WRITE_BOTH).environmentThreads = DualEnvironment.system().threads();
        CompletableFuture<Thread> copying = new CompletableFuture<>();
        rig.whenCopied = () -> copying.complete(Thread.currentThread());
        transactions.enter("one");
        rig.write("k", "v").join();

        transactions.commit();

        assertThat(copying).isCompletedWithValueMatching(thread -> thread != Thread.currentThread());
        assertThat(rig.target.rows).containsEntry("k", "v");
        rig.engine().close(Duration.ofMinutes(1));
    }

    @Test
    void shouldKeepTheKeysOfATransactionThatEndsAfterTheClose() {
        rig(Phase.WRITE_BOTH).environmentThreads = DualEnvironment.system().threads();
        transactions.enter("one");
        rig.write("k", "v").join();
        rig.engine().close(Duration.ZERO);

        assertThatThrownBy(transactions::commit).isInstanceOf(CommittedException.class);

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldWaitForAKeyWithoutATransactionAsLongAsIsAllowed() throws Exception {
        rig(Phase.WRITE_BOTH).keyWait = Duration.ofSeconds(5);
        rig.origin.byHand();
        rig.write("k", "1");
        CompletableFuture<Object> second = rig.write("k", "2");
        CompletableFuture<Object> third = rig.delete("k");

        rig.threads.pass(Duration.ofSeconds(5).toNanos() - 1);
        assertThat(second).isNotDone();
        rig.threads.pass(1);

        assertThatThrownBy(second::join)
                .hasRootCauseMessage("a key is changed by others for too long, waiting=write of [k], for=write of [k]")
                .satisfies(thrown -> assertThat(OutcomePerSide.of(thrown.getCause()))
                        .hasValueSatisfying(
                                outcome -> assertThat(outcome.origin()).isEqualTo(SideOutcome.NOT_ATTEMPTED)));
        assertThat(third).isCompletedExceptionally();
        rig.origin.waiting.remove().answer();
        assertThat(rig.target.rows).containsEntry("k", "1");
        assertThat(rig.threads.timedWaiting()).isZero();
    }

    @Test
    void shouldWaitForAKeyOnTheCallersThreadAsLongAsIsAllowed() throws Exception {
        rig(Phase.WRITE_BOTH).keyWait = Duration.ofMillis(1);
        rig.origin.byHand();
        rig.write("k", "1");
        DualOperation<Rig.Ask, Object> write = rig.writeNow();

        assertThatThrownBy(() -> write.call(new Rig.Ask(List.of("k"), "2")))
                .hasMessage("a key is changed by others for too long, waiting=write of [k], for=write of [k]");

        rig.origin.waiting.remove().answer();
    }
}
