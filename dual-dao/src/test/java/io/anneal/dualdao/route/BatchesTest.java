package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.stats.StatsSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class BatchesTest {
    private static final long MILLI_NANOS = 1_000_000;

    private static List<Rig.Ask> asks(int count) {
        List<Rig.Ask> asks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asks.add(Rig.Ask.of("k" + i));
        }
        return asks;
    }

    @Test
    void shouldFireAllCallsAtOnceAndMeasureTheSlowestOfEachSide() throws Exception {
        Rig rig = new Rig(Phase.READ_TARGET);
        rig.target.byHand();
        rig.origin.byHand();
        DualOperation<Rig.Ask, CompletableFuture<Object>> read = rig.engine()
                .operation(Rig.spec(
                        OperationKind.READ,
                        "read",
                        (dao, ask) -> dao.read(ask.keys().get(0)),
                        null));
        CompletableFuture<List<CompletableFuture<Object>>> all = new CompletableFuture<>();
        CountDownLatch fired = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            try {
                all.complete(rig.engine().batch("outer", () -> {
                    List<CompletableFuture<Object>> answers = new ArrayList<>();
                    for (Rig.Ask ask : asks(3)) {
                        answers.add(read.call(ask));
                    }
                    fired.countDown();
                    answers.forEach(CompletableFuture::join);
                    return answers;
                }));
            } catch (Exception thrown) {
                all.completeExceptionally(thrown);
            }
        });
        caller.start();
        fired.await();
        assertThat(rig.target.waiting).hasSize(3);
        rig.target.rows.put("k0", "v");
        rig.threads.pass(MILLI_NANOS);
        rig.target.waiting.remove().answer();
        rig.threads.pass(MILLI_NANOS);
        rig.target.waiting.remove().answer();
        rig.target.waiting.remove().answer();
        rig.threads.pass(MILLI_NANOS);
        rig.origin.waiting.remove().answer();
        rig.origin.waiting.remove().answer();

        assertThat(all.get()).hasSize(3);
        caller.join();
        StatsSnapshot.Batch batch = rig.stats.snapshot().batches().get(0);
        assertThat(batch.target().sinceStart().count()).isOne();
        assertThat(batch.target().sinceStart().maxNanos()).isBetween(2 * MILLI_NANOS, 21 * MILLI_NANOS / 10);
        assertThat(batch.origin().sinceStart().maxNanos()).isBetween(3 * MILLI_NANOS, 31 * MILLI_NANOS / 10);
    }

    @Test
    void shouldAnswerInOrder() throws Exception {
        Rig rig = new Rig(Phase.ORIGIN_ONLY);
        asks(5).forEach(ask -> rig.origin.rows.put(ask.keys().get(0), ask.keys().get(0)));

        assertThat(rig.readNow().callAll(asks(5))).containsExactly("k0", "k1", "k2", "k3", "k4");
        assertThat(rig.readNow().callAll(List.of())).isEmpty();
    }

    @Test
    void shouldCallOnTheExecutorThatWasGiven() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        Rig rig = new Rig(Phase.ORIGIN_ONLY);
        rig.batches = executor;
        CountDownLatch both = new CountDownLatch(2);
        DualOperation<Rig.Ask, Object> meets = rig.engine()
                .operation(new OperationSpec<>(
                        "meets",
                        OperationKind.READ,
                        Rig.Ask::keys,
                        (dao, ask) -> {
                            both.countDown();
                            both.await();
                            return "met";
                        },
                        null,
                        Missing.DEFAULT,
                        null,
                        null));

        assertThat(meets.callAll(asks(2))).containsExactly("met", "met");
        assertThat(rig.stats.snapshot().batches().get(0).origin().sinceStart().count())
                .isOne();
        executor.shutdown();
    }

    @Test
    void shouldThrowTheFirstFailureAfterAllCallsAreOver() {
        Rig rig = new Rig(Phase.ORIGIN_ONLY);
        rig.origin.fails(new IOException("down"));

        assertThatThrownBy(() -> rig.readNow().callAll(asks(3))).isInstanceOf(IOException.class);
        assertThat(rig.origin.calls).hasSize(3);
        assertThat(rig.phases.drained()).isTrue();
    }

    @Test
    void shouldGiveBackFuturesOfCallsThatFailed() throws Exception {
        Rig rig = new Rig(Phase.WRITE_BOTH);
        rig.origin.fails(new IOException("down"));
        DualOperation<Rig.Ask, CompletableFuture<Object>> read = rig.engine()
                .operation(Rig.spec(
                        OperationKind.READ,
                        "read",
                        (dao, ask) -> dao.read(ask.keys().get(0)),
                        null));

        assertThat(read.callAll(asks(2))).allMatch(CompletableFuture::isCompletedExceptionally);
    }
}
