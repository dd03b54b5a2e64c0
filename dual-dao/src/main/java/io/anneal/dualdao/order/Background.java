package io.anneal.dualdao.order;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work beside calls, bounded until the work is over and not only until its thread is free: a store that never answers holds
 * what there is room for and no more. Half of the room is kept for what runs in lanes. Any thread may call.
 */
public final class Background {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);

    private final ExecutorService executor;
    private final int roomForCalls;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private int calls;
    private int all;
    private boolean closed;

    /**
     * @param threads how many the executor has
     * @param queueLength how many wait for them
     */
    public Background(ExecutorService executor, int threads, int queueLength) {
        this.executor = executor;
        roomForCalls = threads + queueLength / 2;
    }

    /** How many may wait in lanes. */
    public static int roomForLanes(int queueLength) {
        return Math.max(1, queueLength - queueLength / 2);
    }

    /**
     * Runs work on another thread.
     *
     * @param work gives the stage that ends it, null if it is over when it returns
     * @param dropped told instead, at once if there is no room, or when this is closed before the work began
     */
    public void run(Supplier<? extends CompletionStage<?>> work, Runnable dropped) {
        if (!execute(new Task(work, true, () -> {}, dropped))) {
            dropped.run();
        }
    }

    /** Runs work of a lane, if there is room, for which the lanes see to; so do they for what never begins. */
    boolean runInLane(Supplier<? extends CompletionStage<?>> work, Runnable whenOver) {
        return execute(new Task(work, false, whenOver, () -> {}));
    }

    private boolean execute(Task task) {
        if (!enter(task.call)) {
            return false;
        }
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException full) {
            leave(task.call);
            return false;
        }
    }

    /** Work on its way. */
    private final class Task implements Runnable {
        private final Supplier<? extends CompletionStage<?>> work;
        private final boolean call;
        private final Runnable whenOver;
        private final Runnable dropped;

        Task(Supplier<? extends CompletionStage<?>> work, boolean call, Runnable whenOver, Runnable dropped) {
            this.work = work;
            this.call = call;
            this.whenOver = whenOver;
            this.dropped = dropped;
        }

        @Override
        public void run() {
            CompletionStage<?> stage = null;
            try {
                stage = work.get();
            } catch (Throwable thrown) { // outermost on this thread
                LOG.debug("work beside calls failed", thrown);
            }
            if (stage == null) {
                over();
            } else {
                stage.whenComplete((answer, thrown) -> over());
            }
        }

        private void over() {
            try {
                whenOver.run();
            } finally {
                leave(call);
            }
        }

        void drop() {
            try {
                dropped.run();
            } catch (RuntimeException broken) { // the others must be told all the same
                LOG.warn("work beside calls was dropped and could not be told", broken);
            } finally {
                leave(call);
            }
        }
    }

    private boolean enter(boolean call) {
        lock.lock();
        try {
            if (closed || call && calls >= roomForCalls) {
                return false;
            }
            calls += call ? 1 : 0;
            all++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void leave(boolean call) {
        lock.lock();
        try {
            calls -= call ? 1 : 0;
            all--;
            if (all == 0) {
                idle.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing is under way, for at most that long; then takes nothing any more, interrupts what runs, and drops what waits. */
    public void close(long atMostNanos) {
        boolean interrupted = false;
        lock.lock();
        try {
            long left = atMostNanos;
            while (all > 0 && left > 0) {
                left = idle.awaitNanos(left);
            }
        } catch (InterruptedException hurry) {
            interrupted = true;
        } finally {
            closed = true;
            lock.unlock();
        }
        for (Runnable left : executor.shutdownNow()) {
            if (left instanceof Task task) {
                task.drop();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
