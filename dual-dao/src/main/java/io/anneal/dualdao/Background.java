package io.anneal.dualdao;

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
final class Background {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);

    private final ExecutorService executor;
    private final int roomForCalls;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private int calls;
    private int all;
    private boolean closed;

    Background(ExecutorService executor, ShadowConfig config) {
        this.executor = executor;
        roomForCalls = config.threads() + config.queueLength() / 2;
    }

    /** How many may wait in lanes. */
    static int roomForLanes(ShadowConfig config) {
        return Math.max(1, config.queueLength() - config.queueLength() / 2);
    }

    /**
     * Runs work on another thread, if there is room.
     *
     * @param work gives the stage that ends it, null if it is over when it returns
     */
    boolean run(Supplier<? extends CompletionStage<?>> work) {
        return run(work, true, () -> {});
    }

    /** Runs work of a lane, for which the lanes keep room. */
    boolean runInLane(Supplier<? extends CompletionStage<?>> work, Runnable whenOver) {
        return run(work, false, whenOver);
    }

    private boolean run(Supplier<? extends CompletionStage<?>> work, boolean call, Runnable whenOver) {
        if (!enter(call)) {
            return false;
        }
        try {
            executor.execute(() -> begin(work, call, whenOver));
            return true;
        } catch (RejectedExecutionException full) {
            leave(call);
            return false;
        }
    }

    private void begin(Supplier<? extends CompletionStage<?>> work, boolean call, Runnable whenOver) {
        CompletionStage<?> stage = null;
        try {
            stage = work.get();
        } catch (Throwable thrown) { // outermost on this thread
            LOG.debug("work beside calls failed", thrown);
        }
        if (stage == null) {
            over(call, whenOver);
        } else {
            stage.whenComplete((answer, thrown) -> over(call, whenOver));
        }
    }

    private void over(boolean call, Runnable whenOver) {
        try {
            whenOver.run();
        } finally {
            leave(call);
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

    /** Waits until nothing is under way, for at most that long; then takes nothing any more, and interrupts what there is. */
    void close(long atMostNanos) {
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
        executor.shutdownNow();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
