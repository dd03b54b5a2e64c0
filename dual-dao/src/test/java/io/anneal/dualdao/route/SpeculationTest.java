package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SpeculationTest {
    private static final long SLOW_NANOS = 1_000_000;
    private static final long SECOND_NANOS = 1_000_000_000;

    private Rig rig;
    private DualOperation<Rig.Ask, CompletableFuture<Object>> read;

    @BeforeEach
    void aSideWhoseLatencyIsKnown() throws Exception {
        rig = new Rig(Phase.TARGET_ONLY);
        rig.speculative = 90;
        rig.target.rows.put("k", "v");
        rig.target.byHand();
        read = rig.engine()
                .operation(Rig.spec(
                        OperationKind.READ,
                        "read",
                        (dao, ask) -> dao.read(ask.keys().get(0)),
                        null));
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Object> answer = read.call(Rig.Ask.of("k"));
            rig.threads.pass(SLOW_NANOS);
            rig.target.waiting.forEach(Shop.Call::answer);
            rig.target.waiting.clear();
            assertThat(answer).isCompleted();
        }
        rig.threads.pass(2 * SECOND_NANOS);
        read.call(Rig.Ask.of("k"));
        rig.target.waiting.remove().answer();
        rig.target.calls.clear();
    }

    @AfterEach
    void everyReadLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @Test
    void shouldFireASlowReadAgainAndTakeTheFirstAnswer() throws Exception {
        CompletableFuture<Object> answer = read.call(Rig.Ask.of("k"));
        assertThat(rig.target.calls).hasSize(1);
        rig.threads.pass(2 * SLOW_NANOS);
        assertThat(rig.target.calls).hasSize(2);

        rig.target.waiting.removeLast().answer();

        assertThat(answer).isCompletedWithValue("v");
        assertThat(rig.count(Counter.SPECULATIVE_READS)).isOne();
        assertThat(rig.count(Counter.SPECULATIVE_WINS)).isOne();
        assertThat(rig.phases.drained()).isFalse();
        rig.target.waiting.remove().answer();
    }

    @Test
    void shouldNotFireAReadAgainThatWasAnswered() throws Exception {
        read.call(Rig.Ask.of("k"));
        rig.target.waiting.remove().answer();

        rig.threads.pass(2 * SLOW_NANOS);

        assertThat(rig.target.calls).hasSize(1);
    }

    @Test
    void shouldLeaveItsPhaseOnceIfTheFirstAnswerComesWhileTheSecondReadIsFired() throws Exception {
        CompletableFuture<Object> answer = read.call(Rig.Ask.of("k"));
        rig.whenCounted = counter -> {
            if (counter == Counter.SPECULATIVE_READS) {
                rig.target.waiting.remove().answer();
            }
        };
        rig.threads.pass(2 * SLOW_NANOS);

        assertThat(answer).isCompletedWithValue("v");
        rig.target.waiting.remove().answer();
    }

    @Test
    void shouldLeaveNothingScheduledAfterTheAnswer() throws Exception {
        read.call(Rig.Ask.of("k"));
        assertThat(rig.threads.timedWaiting()).isOne();

        rig.target.waiting.remove().answer();

        assertThat(rig.threads.timedWaiting()).isZero();
    }

    @Test
    void shouldReadOnTheCallersThreadIfThereIsNoOtherAnyMore() throws Exception {
        rig.target.atOnce();
        DualOperation<Rig.Ask, Object> now = rig.readNow();
        rig.engine().close(Duration.ZERO);

        assertThat(now.call(Rig.Ask.of("k"))).isEqualTo("v");

        assertThat(rig.target.calls).hasSize(1);
    }

    @Test
    void shouldFailOnlyIfBothFail() throws Exception {
        CompletableFuture<Object> answer = read.call(Rig.Ask.of("k"));
        rig.threads.pass(2 * SLOW_NANOS);
        rig.target.waiting.remove().fail(new IOException("first"));
        assertThat(answer).isNotDone();
        rig.target.waiting.remove().fail(new IOException("second"));

        assertThat(answer).isCompletedExceptionally();
    }

    @Test
    void shouldNotDoubleTheLoadOfASideThatGetsSlow() throws Exception {
        for (int i = 0; i < 100; i++) {
            read.call(Rig.Ask.of("k"));
        }
        rig.threads.pass(10 * SLOW_NANOS);

        assertThat(rig.target.calls).hasSizeBetween(101, 130);
        rig.target.waiting.forEach(Shop.Call::answer);
    }
}
