package io.anneal.paging.querier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Room for pages, and who waits for it. */
@Timeout(60)
final class ReadSemaphoreTest {
    private static final QuerierLimits ONE =
            new QuerierLimits(1, 1 << 20, Duration.ofMinutes(5), Duration.ofSeconds(10), 1 << 20, 0);

    @Test
    void shouldWakeNobodyButWhoIsLetIn() throws Exception {
        AtomicLong looks = new AtomicLong();
        ReadSemaphore semaphore = new ReadSemaphore(ONE, () -> {
            looks.incrementAndGet();
            return System.nanoTime();
        });
        AtomicInteger read = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        int count = 200;
        ReadSemaphore.Permit held = semaphore.acquire("ks.t");
        for (int i = 0; i < count; i++) {
            threads.add(waiting(semaphore, read::incrementAndGet));
        }
        held.close();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(read).hasValue(count);
        // Each looks at the clock when it comes and before it waits; a spurious wakeup or two are allowed for.
        assertThat(looks.get()).isLessThan(3 * count);
        assertThat(semaphore.reads()).isZero();
        assertThat(semaphore.heldBytes()).isZero();
    }

    @Test
    void shouldLetInWhoCameFirst() throws Exception {
        ReadSemaphore semaphore = new ReadSemaphore(ONE, System::nanoTime);
        List<Integer> order = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        ReadSemaphore.Permit held = semaphore.acquire("ks.t");
        for (int i = 0; i < 20; i++) {
            int number = i;
            threads.add(waiting(semaphore, () -> order.add(number)));
        }
        held.close();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(order).hasSize(20).isSorted();
    }

    @Test
    void shouldPassOverWhoGaveUp() throws Exception {
        ReadSemaphore semaphore = new ReadSemaphore(ONE, System::nanoTime);
        AtomicInteger read = new AtomicInteger();
        ReadSemaphore.Permit held = semaphore.acquire("ks.t");
        Thread interrupted = waiting(semaphore, read::incrementAndGet);
        Thread last = waiting(semaphore, () -> read.addAndGet(10));
        interrupted.interrupt();
        interrupted.join();
        held.close();
        last.join();

        assertThat(read).hasValue(10);
        assertThat(semaphore.reads()).isZero();
        assertThat(semaphore.heldBytes()).isZero();
    }

    @Test
    void shouldTellWhoWaitedTooLong() throws Exception {
        AtomicLong nanos = new AtomicLong();
        ReadSemaphore semaphore =
                new ReadSemaphore(ONE, () -> nanos.getAndAdd(ONE.patience().toNanos() + 1));
        ReadSemaphore.Permit held = semaphore.acquire("ks.t");
        assertThatThrownBy(() -> semaphore.acquire("ks.t"))
                .isInstanceOf(ReadTimeoutException.class)
                .hasMessageContaining("reads=1")
                .hasMessageContaining("waiting=1");
        held.close();
        semaphore.acquire("ks.t").close();
        assertThat(semaphore.reads()).isZero();
    }

    /** A thread that waits for room already, and then works. */
    private static Thread waiting(ReadSemaphore semaphore, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                ReadSemaphore.Permit permit = semaphore.acquire("ks.t");
                work.run();
                permit.close();
            } catch (InterruptedIOException given) {
                assertThat(Thread.interrupted()).isTrue();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }
}
