package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reads of phase 2 that go to the target, too, and serve nobody. */
final class ShadowReadsTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private Rig rig;

    private Rig rig(Phase phase, int percent) {
        rig = new Rig(phase);
        rig.shadowReads = percent;
        return rig;
    }

    private void readAgain() {
        rig.read("k").join();
        rig.threads.runShadow();
        rig.threads.pass(SECOND_NANOS);
        rig.threads.runShadow();
    }

    @Test
    void shouldReadTheTargetBesideTheCallerAndCompareOnceItIsBackFilled() {
        rig(Phase.WRITE_BOTH, 100).origin.rows.put("k", "v");
        assertThat(rig.read("k").join()).isEqualTo("v");
        assertThat(rig.target.calls).isEmpty();

        readAgain();
        assertThat(rig.target.calls).contains("read k");
        assertThat(rig.count(Counter.COMPARED)).isZero();

        rig.engine().backfilled(true);
        readAgain();
        assertThat(rig.count(Counter.MISMATCHES)).isOne();
        assertThat(rig.stats.mismatches()).hasSize(1);

        rig.target.rows.put("k", "v");
        readAgain();
        assertThat(rig.count(Counter.COMPARED)).isEqualTo(2);
        assertThat(rig.count(Counter.MISMATCHES)).isOne();
    }

    @Test
    void shouldNotTellTheCallerOfATargetThatFailsOrHangs() {
        rig(Phase.WRITE_BOTH, 100).origin.rows.put("k", "v");
        rig.target.fails(new IOException("down"));
        assertThat(rig.read("k").join()).isEqualTo("v");
        rig.threads.runShadow();
        assertThat(rig.count(Counter.TARGET_FAILED) + rig.count(Counter.TARGET_UNKNOWN))
                .isOne();

        rig.target.byHand();
        for (int i = 0; i < 10_000; i++) {
            assertThat(rig.read("k")).isCompletedWithValue("v");
        }
        assertThat(rig.count(Counter.DROPPED_READS)).isPositive();
    }

    @Test
    void shouldNotCompareWhatIsBeingWritten() {
        rig(Phase.WRITE_BOTH, 100).origin.rows.put("k", "old");
        rig.target.rows.put("k", "old");
        rig.engine().backfilled(true);
        rig.target.byHand();
        CompletableFuture<Object> write = rig.write("k", "new");
        rig.read("k").join();
        rig.threads.runShadow();
        rig.target.atOnce();
        while (!rig.target.waiting.isEmpty()) {
            rig.target.waiting.remove().answer();
        }
        assertThat(write).isCompleted();

        assertThat(rig.count(Counter.COMPARED)).isZero();
        assertThat(rig.count(Counter.MISMATCHES)).isZero();
    }

    @Test
    void shouldCompareTheWholeOfABufferThatTheCallerHasRead() throws Exception {
        rig(Phase.WRITE_BOTH, 100).origin.rows.put("k", "v");
        rig.target.rows.put("k", "v");
        rig.reread = Duration.ZERO;
        rig.engine().backfilled(true);
        DualOperation<Rig.Ask, Object> read = rig.engine()
                .operation(Rig.now(
                        OperationKind.READ,
                        "read",
                        (dao, ask) -> dao.read(ask.keys().get(0))
                                .thenApply(value ->
                                        ByteBuffer.wrap(value.toString().getBytes(StandardCharsets.UTF_8)))));
        ByteBuffer answer = (ByteBuffer) read.call(Rig.Ask.of("k"));
        assertThat(answer.get()).isEqualTo((byte) 'v');
        rig.threads.runShadow();
        assertThat(rig.count(Counter.COMPARED)).isOne();
        assertThat(rig.count(Counter.MISMATCHES)).isZero();
    }

    @Test
    void shouldSendOnlyTheShareThatWasChosen() {
        rig(Phase.WRITE_BOTH, 10).origin.rows.put("k", "v");
        DualOperation<Rig.Ask, Object> read = rig.readNow();
        for (int i = 0; i < 100; i++) {
            try {
                assertThat(read.call(Rig.Ask.of("k"))).isEqualTo("v");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            rig.threads.runShadow();
        }
        assertThat(rig.target.calls).hasSize(10);

        rig(Phase.WRITE_BOTH, 0).read("k").join();
        rig.threads.runShadow();
        assertThat(rig.target.calls).isEmpty();
    }
}
