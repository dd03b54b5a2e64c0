package io.anneal.repair;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Passes work to an executor, and has the thread that waits for it do what the executor does not start: so a repair ends even
 * where its caller holds the executor's only thread. For any thread.
 */
final class HelpedExecutor implements Executor {
    /** An executor with a free thread has long started by then. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Work(Runnable task, long sinceNanos) {}

    private final Executor executor;
    private final LongSupplier nanoTime;
    private final Queue<Work> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean isNeeded;

    HelpedExecutor(Executor executor, LongSupplier nanoTime) {
        this.executor = executor;
        this.nanoTime = nanoTime;
    }

    @Override
    public void execute(Runnable task) {
        Work work = new Work(task, nanoTime.getAsLong());
        waiting.add(work);
        try {
            executor.execute(this::startNext);
        } catch (RuntimeException | Error notTaken) {
            if (waiting.remove(work)) {
                throw notTaken;
            }
        }
    }

    private void startNext() {
        Work next = waiting.poll();
        if (next != null) {
            next.task().run();
        }
    }

    /** Does on this thread what the executor has not started for a quarter of a second; after the first such work, at once. */
    void help() {
        for (Work next = waiting.peek(); next != null && isDue(next); next = waiting.peek()) {
            isNeeded = true;
            if (waiting.remove(next)) {
                next.task().run();
            }
        }
    }

    /** Whether the executor was shut down, and may have dropped work that it had taken: nobody but a helper would do it. */
    boolean isShutDown() {
        return executor instanceof ExecutorService service && service.isShutdown();
    }

    /** @throws RejectedExecutionException when the executor was shut down */
    void requireRunning() {
        if (isShutDown()) {
            throw new RejectedExecutionException("executor is shut down");
        }
    }

    private boolean isDue(Work work) {
        return isNeeded || nanoTime.getAsLong() - work.sinceNanos() >= PATIENCE_NANOS;
    }
}
