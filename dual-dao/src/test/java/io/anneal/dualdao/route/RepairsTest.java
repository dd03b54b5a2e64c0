package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RepairsTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private Rig rig;

    @BeforeEach
    void aKeyThatTheTargetLacks() {
        rig = new Rig(Phase.READ_TARGET);
        rig.repair = new ReadRepair(10);
        rig.origin.rows.put("k", "v");
    }

    @AfterEach
    void everyOperationLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @Test
    void shouldCopyWhatAReadFoundInTheOriginAlone() {
        assertThat(rig.read("k").join()).isEqualTo("v");
        assertThat(rig.target.rows).isEmpty();

        rig.threads.runShadow();

        assertThat(rig.target.rows).containsEntry("k", "v");
        assertThat(rig.count(Counter.REPAIRED)).isOne();
    }

    @Test
    void shouldCopyTheKeysOfABatchThatWereMissing() {
        rig.target.rows.put("a", "1");
        rig.readAll("a", "k", "nowhere").join();
        rig.threads.runShadow();

        assertThat(rig.target.rows).isEqualTo(Map.of("a", "1", "k", "v"));
        assertThat(rig.count(Counter.REPAIRED)).isOne();
    }

    @Test
    void shouldCopyNothingWithoutBeingTold() {
        rig.repair = ReadRepair.OFF;

        rig.read("k").join();

        assertThat(rig.threads.shadowWaiting()).isZero();
    }

    @Test
    void shouldCopyNothingThatCouldOverwriteANewerWrite() {
        rig.guarantee = KeyCopy.Guarantee.NONE;

        rig.read("k").join();

        assertThat(rig.threads.shadowWaiting()).isZero();
    }

    @Test
    void shouldCopyAKeyOnceForManyReads() {
        rig.read("k").join();
        rig.read("k").join();
        rig.read("k").join();

        assertThat(rig.threads.shadowWaiting()).isOne();
        assertThat(rig.count(Counter.REPAIRS_SKIPPED)).isEqualTo(2);
        rig.threads.runShadow();
    }

    @Test
    void shouldKeepThePhaseUntilTheCopyIsThere() {
        rig.read("k").join();

        assertThat(rig.phases.drained()).isFalse();
        rig.threads.runShadow();
        assertThat(rig.phases.drained()).isTrue();
    }

    @Test
    void shouldNotCopyAKeyThatIsBeingWritten() {
        rig.origin.byHand();
        CompletableFuture<Object> delete = rig.delete("k");
        Shop.Call atOrigin = rig.origin.waiting.remove();
        rig.origin.atOnce();

        assertThat(rig.read("k").join()).isEqualTo("v");

        assertThat(rig.threads.shadowWaiting()).isZero();
        assertThat(rig.count(Counter.REPAIRS_SKIPPED)).isOne();
        atOrigin.answer();
        assertThat(delete).isCompleted();
    }

    @Test
    void shouldMakeAWriteWaitForACopyEvenIfWritesAreNotOrdered() {
        rig.guarantee = KeyCopy.Guarantee.IF_ABSENT;
        rig.orderWrites = false;
        rig.read("k").join();

        CompletableFuture<Object> delete = rig.delete("k");

        assertThat(delete).isNotDone();
        rig.threads.runShadow();
        assertThat(delete).isCompleted();
        assertThat(rig.target.rows).isEmpty();
    }

    @Test
    void shouldMakeAWriteOfALaterPhaseWaitForACopyOfThree() {
        rig.read("k").join();
        rig.phases.change(Phase.WRITE_TARGET);

        CompletableFuture<Object> delete = rig.delete("k");
        rig.threads.runShadow();

        assertThat(delete).isCompleted();
        assertThat(rig.target.rows).isEmpty();
    }

    @Test
    void shouldLeaveKeysInTheJournalToTheirReDrive() {
        rig.target.rows.put("a", "1");
        rig.journal.add(Side.TARGET, "other", "");
        rig.read("k").join();
        rig.journal.add(Side.TARGET, "k", "");
        rig.threads.runShadow();
        rig.target.rows.clear();

        rig.partitions = Partitions.GATED;
        rig.read("k").join();

        assertThat(rig.threads.shadowWaiting()).isZero();
    }

    @Test
    void shouldCopySoManyInASecondAndNoMore() {
        for (int i = 0; i < 40; i++) {
            rig.origin.rows.put("key" + i, "v");
        }
        for (int i = 0; i < 20; i++) {
            rig.read("key" + i).join();
            rig.threads.runShadow();
        }
        assertThat(rig.count(Counter.REPAIRED)).isOne();
        rig.threads.pass(SECOND_NANOS / 10);
        rig.read("key20").join();
        rig.threads.runShadow();
        assertThat(rig.count(Counter.REPAIRED)).isEqualTo(2);

        rig.threads.pass(60 * SECOND_NANOS);
        for (int i = 21; i < 40; i++) {
            rig.read("key" + i).join();
            rig.threads.runShadow();
        }
        assertThat(rig.count(Counter.REPAIRED)).isBetween(12L, 13L);
    }

    @Test
    void shouldLetGoOfAKeyWhoseCopyFailed() {
        rig.read("k").join();
        rig.target.fails(new IOException("down"));
        rig.threads.runShadow();
        rig.target.atOnce();

        assertThat(rig.write("k", "w")).isCompleted();
        assertThat(rig.count(Counter.REPAIRED)).isZero();
    }

    @Test
    void shouldLetGoOfAKeyWhoseCopyWaitsWhenTheInstanceIsClosed() {
        rig.read("k").join();
        CompletableFuture<Object> write = rig.write("k", "w");
        assertThat(write).isNotDone();

        rig.engine().close(Duration.ZERO);

        assertThat(write).isCompleted();
        assertThat(rig.count(Counter.REPAIRS_SKIPPED)).isOne();
    }
}
