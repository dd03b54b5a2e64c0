package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.memtable.MemtablePool;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class MemoryGateTest {
    private static final int BUDGET_BYTES = 1 << 20;

    private final CountDownLatch relieved = new CountDownLatch(1);
    private final LongAdder waits = new LongAdder();
    private final MemoryGate gate =
            new MemoryGate(new MemtablePool(BUDGET_BYTES), relieved::countDown, () -> 0, waits::add);

    /** Enters on a thread of its own, and returns once that waits. */
    private Thread waitingWriter(int bytes, AtomicReference<Throwable> outcome) throws InterruptedException {
        Thread writer = new Thread(() -> {
            try {
                gate.enter(bytes);
            } catch (InterruptedException | RuntimeException e) {
                outcome.set(e);
            }
        });
        writer.start();
        assertThat(relieved.await(60, TimeUnit.SECONDS)).isTrue();
        return writer;
    }

    private static void join(Thread writer) throws InterruptedException {
        writer.join(TimeUnit.SECONDS.toMillis(60));
        assertThat(writer.isAlive()).isFalse();
    }

    @Test
    void shouldLetWritersWaitUntilOthersHaveArrived() throws InterruptedException {
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        gate.enter(BUDGET_BYTES - 10);
        Thread writer = waitingWriter(11, outcome);
        assertThat(gate.underWayBytes()).isEqualTo(BUDGET_BYTES - 10);
        gate.leave(BUDGET_BYTES - 10);
        join(writer);
        assertThat(outcome.get()).isNull();
        assertThat(gate.underWayBytes()).isEqualTo(11);
    }

    @Test
    void shouldLetTheLargestPassAlone() throws InterruptedException {
        gate.enter(10 * BUDGET_BYTES);
        assertThat(gate.underWayBytes()).isEqualTo(10L * BUDGET_BYTES);
    }

    @Test
    void shouldNeverHoldUpItsOwnThreads() throws InterruptedException {
        gate.enter(BUDGET_BYTES);
        gate.enterAnyway(BUDGET_BYTES);
        assertThat(gate.underWayBytes()).isEqualTo(2L * BUDGET_BYTES);
    }

    @Test
    void shouldNotCountWhatOnlyCursorsHold() throws InterruptedException {
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        gate.enter(BUDGET_BYTES);
        Thread writer = waitingWriter(100, outcome);
        gate.lingers(100);
        join(writer);
        assertThat(outcome.get()).isNull();
    }

    @Test
    void shouldTurnAwayWhoWaitsAndWhoComesOnceClosed() throws InterruptedException {
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        gate.enter(BUDGET_BYTES);
        Thread writer = waitingWriter(1, outcome);
        gate.close(() -> new IllegalStateException("closed"));
        join(writer);
        assertThat(outcome.get()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gate.enter(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldLetWaitingBeInterrupted() throws InterruptedException {
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        gate.enter(BUDGET_BYTES);
        Thread writer = waitingWriter(1, outcome);
        writer.interrupt();
        join(writer);
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        assertThat(gate.underWayBytes()).isEqualTo(BUDGET_BYTES);
    }
}
