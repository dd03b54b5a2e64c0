package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.copy.KeyWork;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.journal.FileKeyJournal;
import io.anneal.dualdao.journal.PersistentJournal;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class RedriveTest {
    private Rig rig;

    private Rig rig(Phase phase) {
        rig = new Rig(phase);
        return rig;
    }

    @AfterEach
    void everyCopyLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    private int redrive(Side lacking) {
        CompletableFuture<Integer> done = rig.engine().redrive(lacking, 100).toCompletableFuture();
        rig.threads.runShadow();
        return done.join();
    }

    @Test
    void shouldCopyWhatTheTargetLacksAndWhatTheOriginLacks() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "v");
        rig.target.rows.put("gone", "v");
        rig.journal.add(Side.TARGET, "k", "");
        rig.journal.add(Side.TARGET, "gone", "");

        assertThat(redrive(Side.TARGET)).isEqualTo(2);

        assertThat(rig.target.rows).isEqualTo(Map.of("k", "v"));
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        assertThat(rig.count(Counter.REDRIVEN)).isEqualTo(2);

        rig(Phase.TARGET_FIRST).target.rows.put("k", "v");
        rig.journal.add(Side.ORIGIN, "k", "");
        assertThat(redrive(Side.ORIGIN)).isOne();
        assertThat(rig.origin.rows).containsEntry("k", "v");
    }

    @Test
    void shouldGoOnWithOtherKeysWhenACopyNeverEnds() {
        rig(Phase.WRITE_BOTH).target.byHand();
        rig.origin.rows.putAll(Map.of("hangs", "1", "k", "2"));
        rig.journal.add(Side.TARGET, "hangs", "");
        rig.journal.add(Side.TARGET, "k", "");
        CompletableFuture<Integer> done = rig.engine().redrive(Side.TARGET, 100).toCompletableFuture();
        rig.threads.runShadow();
        Shop.Call hanging = rig.target.waiting.removeFirst();
        rig.target.atOnce();

        rig.threads.pass(Duration.ofSeconds(31).toNanos());
        rig.threads.runShadow();

        assertThat(done).isCompletedWithValue(1);
        assertThat(rig.target.rows).containsOnlyKeys("k");
        assertThat(rig.lacking(Side.TARGET)).containsExactly("hangs");
        assertThat(rig.stats.failures()).singleElement().asString().contains("re-drive", "TimeoutException");
        CompletableFuture<Object> write = rig.write("hangs", "newer");
        assertThat(write).as("the copy may still write what is older").isNotDone();

        hanging.answer();
        rig.threads.runShadow();
        write.join();
        redrive(Side.TARGET);
        assertThat(rig.target.rows).containsEntry("hangs", "newer");
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        assertThat(rig.threads.timedWaiting()).isZero();
    }

    @Test
    @Timeout(60)
    void shouldGoOnWithOtherKeysWhenACopyBlocksItsThread() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        rig(Phase.WRITE_BOTH).whenCopied = () -> {
            if (first.getAndSet(false)) {
                blocked.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        rig.origin.rows.putAll(Map.of("hangs", "1", "k", "2"));
        rig.journal.add(Side.TARGET, "hangs", "");
        rig.journal.add(Side.TARGET, "k", "");
        CompletableFuture<Integer> done = rig.engine().redrive(Side.TARGET, 100).toCompletableFuture();
        Thread hanging = new Thread(rig.threads::runOneShadow);
        hanging.start();
        blocked.await();

        rig.threads.pass(Duration.ofSeconds(31).toNanos());
        rig.threads.runShadow();

        assertThat(done).isCompletedWithValue(1);
        assertThat(rig.target.rows).containsOnlyKeys("k");
        released.countDown();
        hanging.join();
        assertThat(rig.target.rows).containsOnlyKeys("hangs", "k");
    }

    @Test
    @Timeout(60)
    void shouldLeaveWhatHangsToTheJournalWhenKeysAreNamed() throws InterruptedException {
        rig(Phase.WRITE_BOTH).target.byHand();
        rig.origin.rows.put("k", "v");
        KeyWork<Shop> work = rig.engine().keyWork();
        List<KeyWork.Outcome<String>> outcomes = new ArrayList<>();
        Thread run = new Thread(() -> {
            try {
                outcomes.addAll(work.copy(Side.TARGET, List.of("k"), "test", 1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        run.start();
        while (rig.threads.shadowWaiting() == 0) {
            Thread.onSpinWait();
        }
        rig.threads.runShadow();

        rig.threads.pass(Duration.ofSeconds(31).toNanos());
        run.join();

        assertThat(outcomes).singleElement().satisfies(outcome -> {
            assertThat(outcome.done()).isFalse();
            assertThat(outcome.cause()).isInstanceOf(TimeoutException.class);
        });
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        rig.target.atOnce();
        rig.target.waiting.removeFirst().answer();
    }

    @Test
    void shouldKeepWhatTheOriginLacksFromPhaseFourOn() {
        for (Phase phase : new Phase[] {Phase.WRITE_TARGET, Phase.TARGET_ONLY}) {
            rig(phase).write("k", "v").join();

            assertThat(redrive(Side.ORIGIN)).isZero();
            assertThat(rig.origin.rows).isEmpty();
            assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
        }
    }

    @Test
    void shouldNotWriteATargetThatThePhaseDoesNotWrite() {
        rig(Phase.ORIGIN_ONLY).origin.rows.put("k", "v");
        rig.journal.add(Side.TARGET, "k", "");

        assertThat(redrive(Side.TARGET)).isZero();
        assertThat(rig.target.calls).isEmpty();
    }

    @Test
    void shouldNotOverwriteTheSideThatIsRightByACopyWithoutTimes() {
        rig(Phase.TARGET_FIRST).guarantee = KeyCopy.Guarantee.NONE;
        rig.origin.rows.put("k", "failed in the target");
        rig.target.rows.put("k", "v");
        rig.journal.add(Side.TARGET, "k", "");

        assertThat(redrive(Side.TARGET)).isOne();

        assertThat(rig.target.rows).containsEntry("k", "v");
        assertThat(rig.lacking(Side.TARGET)).isEmpty();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
    }

    @Test
    void shouldTakeNothingAwayBeforeAllInstancesActByThePhase() {
        rig(Phase.WRITE_BOTH).agreed = false;
        rig.origin.rows.put("k", "v");
        rig.journal.add(Side.TARGET, "k", "");

        assertThat(redrive(Side.TARGET)).isOne();
        assertThat(rig.takenAwayBeforeMicros).containsExactly(KeyCopy.NOTHING);

        rig.agreed = true;
        rig.journal.add(Side.TARGET, "k", "");
        assertThat(redrive(Side.TARGET)).isOne();
        assertThat(rig.takenAwayBeforeMicros).containsExactly(KeyCopy.NOTHING, Rig.ASKED_MICROS);
    }

    @Test
    void shouldLetTheSideThatIsRightKeepWhatItGotSinceItIs() {
        rig(Phase.WRITE_TARGET).origin.rows.put("k", "v");
        rig.journal.add(Side.TARGET, "k", "from phase 3");

        assertThat(redrive(Side.TARGET)).isOne();

        assertThat(rig.takenAwayBeforeMicros).containsExactly(Rig.AUTHORITY_SINCE_MICROS);
    }

    @Test
    void shouldCopyNothingWithoutTimesBeforeAllInstancesActByThePhase() {
        rig(Phase.WRITE_BOTH).guarantee = KeyCopy.Guarantee.NONE;
        rig.agreed = false;
        rig.journal.add(Side.TARGET, "k", "");

        assertThat(redrive(Side.TARGET)).isZero();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldTakeNothingFromAnOriginWhoseKeysAreOnlyPartlyInTheTarget() {
        rig(Phase.READ_TARGET).partitions = Partitions.merged((left, right) -> right);
        rig.target.rows.put("k", "v");
        rig.journal.add(Side.ORIGIN, "k", "");

        assertThat(redrive(Side.ORIGIN)).isOne();

        assertThat(rig.takenAwayBeforeMicros).containsExactly(KeyCopy.NOTHING);
    }

    @Test
    void shouldWaitForAWriteAndMakeOneWait() {
        rig(Phase.WRITE_BOTH).journal.add(Side.TARGET, "k", "");
        rig.origin.byHand();
        CompletableFuture<Object> before = rig.write("k", "1");
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 1).toCompletableFuture();
        rig.threads.runShadow();
        CompletableFuture<Object> after = rig.write("k", "2");

        rig.origin.waiting.remove().answer();
        assertThat(before).isCompleted();
        assertThat(after).isNotDone();
        assertThat(rig.origin.waiting).isEmpty();
        rig.threads.runShadow();
        assertThat(rig.origin.waiting.element().what).isEqualTo("read k");
        rig.origin.waiting.remove().answer();
        assertThat(rig.origin.waiting.element().what).as("compared").isEqualTo("read k");
        rig.origin.waiting.remove().answer();
        assertThat(redrive).isCompletedWithValue(1);
        rig.origin.waiting.remove().answer();

        assertThat(after).isCompleted();
        assertThat(rig.target.rows).isEqualTo(rig.origin.rows).containsEntry("k", "2");
    }

    @Test
    void shouldKeepAKeyThatFailedAgainWhileItWasCopied() {
        rig(Phase.WRITE_BOTH).orderWrites = false;
        rig.journal.add(Side.TARGET, "k", "");
        rig.origin.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 1).toCompletableFuture();
        rig.threads.runShadow();
        Shop.Call read = rig.origin.waiting.remove();
        rig.origin.atOnce();
        rig.target.fails(new IOException("down"));
        assertThat(rig.write("k", "newer")).isCompletedExceptionally();
        rig.target.atOnce();

        read.answer();

        assertThat(redrive).isDone();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldNotForgetAKeyThatPhaseFourRemembersWhileItIsCopied() {
        rig(Phase.TARGET_FIRST).orderWrites = false;
        rig.journal.add(Side.ORIGIN, "k", "");
        rig.target.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.ORIGIN, 1).toCompletableFuture();
        rig.threads.runShadow();
        Shop.Call read = rig.target.waiting.remove();
        rig.target.atOnce();
        rig.phases.change(Phase.WRITE_TARGET);
        rig.write("k", "newer").join();

        read.answer();

        assertThat(redrive).isDone();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
    }

    @Test
    void shouldNotForgetAKeyThatAWriteOfPhaseFourStillUnderWayRemembers() {
        rig(Phase.WRITE_TARGET).orderWrites = false;
        rig.journal.add(Side.ORIGIN, "k", "");
        rig.target.byHand();
        CompletableFuture<Object> write = rig.write("k", "newer");
        Shop.Call slow = rig.target.waiting.remove();
        rig.target.atOnce();
        rig.agreed = false;
        rig.phases.change(Phase.TARGET_FIRST);

        assertThat(redrive(Side.ORIGIN)).isZero();
        slow.answer();

        assertThat(write).isCompleted();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactly("k");
        rig.agreed = true;
        assertThat(redrive(Side.ORIGIN)).isOne();
        assertThat(rig.origin.rows).containsEntry("k", "newer");
    }

    @Test
    void shouldNotTakeTheNameOfAWriteThatIsUnderWay() {
        rig(Phase.WRITE_BOTH).journal = new PersistentJournal();
        rig.orderWrites = false;
        rig.target.byHand();
        CompletableFuture<Object> write = rig.write("k", "v");

        assertThat(redrive(Side.TARGET)).isZero();

        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
        rig.target.waiting.remove().answer();
        assertThat(write).isCompleted();
    }

    @Test
    void shouldRepeatACopyWithoutTimesUntilBothSidesAgree() {
        rig(Phase.WRITE_BOTH).guarantee = KeyCopy.Guarantee.NONE;
        rig.origin.rows.put("k", "1");
        rig.journal.add(Side.TARGET, "k", "");
        rig.target.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 1).toCompletableFuture();
        rig.threads.runShadow();
        rig.origin.rows.put("k", "written by another instance");
        while (!redrive.isDone()) {
            rig.target.waiting.remove().answer();
        }

        assertThat(redrive).isCompletedWithValue(1);
        assertThat(rig.target.rows).isEqualTo(rig.origin.rows);
    }

    @Test
    void shouldGiveUpOnSidesThatNeverAgreeAndKeepTheKey() {
        rig(Phase.WRITE_BOTH).guarantee = KeyCopy.Guarantee.NONE;
        rig.origin.rows.put("k", "1");
        rig.journal.add(Side.TARGET, "k", "");
        rig.target.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 1).toCompletableFuture();
        rig.threads.runShadow();
        while (!redrive.isDone()) {
            rig.target.waiting.remove().answer();
            rig.target.rows.remove("k");
        }

        assertThat(redrive).isCompletedWithValue(0);
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldStopAtASideThatIsDown() {
        rig(Phase.WRITE_BOTH).target.fails(new IOException("down"));
        for (int i = 0; i < 1000; i++) {
            rig.journal.add(Side.TARGET, "k" + i, "");
        }

        assertThat(redrive(Side.TARGET)).isZero();
        assertThat(rig.target.calls).hasSizeLessThan(20);
        assertThat(rig.lacking(Side.TARGET)).hasSize(1000);
    }

    @Test
    void shouldNotLetKeysThatCanNotBeCopiedKeepOthersFromTheirTurn() {
        rig(Phase.WRITE_BOTH).origin.byHand();
        for (int i = 0; i < 16; i++) {
            rig.journal.add(Side.TARGET, "bad" + i, "");
        }
        rig.journal.add(Side.TARGET, "good", "");
        rig.engine().redrive(Side.TARGET, 16);
        rig.threads.runShadow();
        while (!rig.origin.waiting.isEmpty()) {
            rig.origin.waiting.remove().fail(new IOException("bad"));
        }
        rig.origin.atOnce();

        rig.engine().redrive(Side.TARGET, 1);
        rig.threads.runShadow();

        assertThat(rig.lacking(Side.TARGET)).hasSize(16).doesNotContain("good");
    }

    @Test
    void shouldGoOnAfterAKeyThatCanNotBeCopied() {
        rig(Phase.WRITE_BOTH).origin.rows.put("b", "2");
        rig.journal.add(Side.TARGET, "a", "");
        rig.journal.add(Side.TARGET, "b", "");
        rig.origin.byHand();
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 2).toCompletableFuture();
        rig.threads.runShadow();
        rig.origin.waiting.remove().fail(new IOException("a"));
        rig.origin.waiting.remove().answer();
        rig.origin.waiting.remove().answer();

        assertThat(redrive).isCompletedWithValue(1);
        assertThat(rig.lacking(Side.TARGET)).containsExactly("a");
    }

    @Test
    void shouldCopyManyKeysOneAfterTheOtherWithoutEnd() {
        rig(Phase.WRITE_BOTH);
        for (int i = 0; i < 20_000; i++) {
            rig.journal.add(Side.TARGET, "k" + i, "");
        }
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 20_000).toCompletableFuture();
        rig.threads.runShadow();

        assertThat(redrive).isCompletedWithValue(20_000);
    }

    @Test
    void shouldDoNothingWithoutAKeyCopy() {
        rig(Phase.WRITE_BOTH).copying = false;
        rig.journal.add(Side.TARGET, "k", "");

        assertThat(redrive(Side.TARGET)).isZero();
        assertThat(rig.lacking(Side.TARGET)).containsExactly("k");
    }

    @Test
    void shouldCopyBackAllThatTheOriginLacks() {
        rig(Phase.TARGET_ONLY).origin.rows.putAll(Map.of("k", "old", "gone", "old"));
        rig.write("k", "new").join();
        rig.delete("gone").join();
        rig.phases.change(Phase.TARGET_FIRST);

        assertThat(redrive(Side.ORIGIN)).isEqualTo(2);
        assertThat(rig.origin.rows).isEqualTo(Map.of("k", "new"));
    }

    @Test
    void shouldCopyBackWhatAJournalKeepsOutOfMemory(@TempDir Path directory) {
        int keys = 70_000;
        try (FileKeyJournal journal = FileKeyJournal.open(directory, Durability.PROCESS_KILL, () -> "id")) {
            rig(Phase.TARGET_ONLY).journal = journal;
            for (int i = 0; i < keys; i++) {
                rig.write("k" + i, "v").join();
            }
            assertThat(journal.size(Side.ORIGIN)).isZero();
            rig.phases.change(Phase.TARGET_FIRST);

            while (redrive(Side.ORIGIN) > 0) {
                assertThat(rig.origin.rows).isNotEmpty();
            }

            assertThat(rig.origin.rows).isEqualTo(rig.target.rows).hasSize(keys);
            assertThat(journal.remembered()).isZero();
        }
    }

    @Test
    void shouldKeepWhatItCouldNotCopyBack() {
        rig(Phase.TARGET_ONLY).write("k", "new").join();
        rig.clear().join();
        rig.phases.change(Phase.TARGET_FIRST);
        rig.origin.fails(new IOException("down"));

        assertThat(redrive(Side.ORIGIN)).isZero();
        assertThat(rig.lacking(Side.ORIGIN)).containsExactlyInAnyOrder("k", DirtyKeys.EVERYTHING);
    }

    @Test
    void shouldCopyNothingBackWhileTheOriginIsNotWritten() {
        for (Phase phase : new Phase[] {Phase.WRITE_TARGET, Phase.TARGET_ONLY}) {
            rig(phase).write("k", "new").join();
            assertThat(redrive(Side.ORIGIN)).isZero();
            assertThat(rig.origin.rows).isEmpty();
        }
    }

    @Test
    void shouldEndWhatWaitsForThePoolWhenTheInstanceIsClosed() {
        rig(Phase.TARGET_FIRST);
        rig.journal.add(Side.TARGET, "k", "");
        CompletableFuture<Integer> redrive =
                rig.engine().redrive(Side.TARGET, 10).toCompletableFuture();

        rig.engine().close(Duration.ZERO);

        assertThat(redrive).isCompletedWithValue(0);
    }
}
