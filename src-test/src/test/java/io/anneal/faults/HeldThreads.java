package io.anneal.faults;

import io.anneal.environment.HostEnvironment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** A store's threads, each of which can be made to stand still: so a test has two things meet where it wants them to. */
final class HeldThreads {
    private final Map<String, ScheduledThreadPoolExecutor> byName = new ConcurrentHashMap<>();

    /** Everything else is the machine's. */
    HostEnvironment environment() {
        return HostEnvironment.system().withThreads(this::single);
    }

    private ScheduledExecutorService single(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        byName.put(name, executor);
        return executor;
    }

    /** Until the latch is counted down the thread of this name does nothing; whatever it did before is done. */
    CountDownLatch hold(String name) throws InterruptedException {
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        byName.get(name).execute(() -> {
            stands.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts a thread of a store", e);
            }
        });
        stands.await();
        return goOn;
    }

    /** Pieces of work that the thread of this name has done. */
    long doneCount(String name) {
        return byName.get(name).getCompletedTaskCount();
    }

    /** Waits until it has done more than these. */
    void awaitMoreThan(String name, long count) {
        while (doneCount(name) <= count) {
            Thread.onSpinWait();
        }
    }
}
