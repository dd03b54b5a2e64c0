package io.anneal.table;

import io.anneal.environment.HostEnvironment;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where futures that users hold are completed, and so where what depends on them runs: never on a thread that the store works
 * with, and neither is the user's executor called there. One task completes all that has come. A callback that blocks holds up
 * those behind it, unless the executor has another thread, which takes them over; it never holds up the store. Any thread.
 */
final class Callbacks implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(Callbacks.class);

    private final HostEnvironment.Threads threads;
    private final Optional<Executor> given;
    private final Executor own;
    private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean isClosed;

    /**
     * @param threads with the user's executor, if there is one
     * @param own completes when there is no other or it fails; hands over to it
     */
    Callbacks(HostEnvironment.Threads threads, Executor own) {
        this.threads = threads;
        this.own = own;
        given = threads.callbacks();
        // Here, where opening fails when there is no thread to be had.
        own.execute(() -> {});
    }

    /** @param completion must not throw */
    @Override
    public void execute(Runnable completion) {
        ScarceMemory.insist(() -> due.add(completion));
        schedule();
    }

    private void schedule() {
        if (scheduled.get() || !scheduled.compareAndSet(false, true)) {
            return;
        }
        try {
            if (isClosed) {
                onThreadOfItsOwn();
            } else if (given.isPresent()) {
                own.execute(this::handOver);
            } else {
                own.execute(this::completeDue);
            }
        } catch (RuntimeException | Error e) {
            // The next completion tries again, and whoever is at work takes over what is due.
            scheduled.set(false);
            warn("no thread for callbacks could be had, futures wait", e);
        }
    }

    private void handOver() {
        try {
            given.orElseThrow().execute(this::completeDue);
        } catch (Throwable thrown) { // the user's code: whatever it throws, futures must be completed
            warn("executor for callbacks takes no task, they run on the store's thread for them instead", thrown);
            completeDue();
        }
    }

    private void onThreadOfItsOwn() {
        ScheduledExecutorService thread = threads.single("callbacks-at-close");
        try {
            thread.execute(this::completeDue);
        } finally {
            thread.shutdown();
        }
    }

    private void warn(String what, Throwable thrown) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn("{}; said once", what, thrown);
        }
    }

    private void completeDue() {
        // First: while a callback blocks here the next completion gets another task.
        scheduled.set(false);
        Runnable completion;
        while ((completion = due.poll()) != null) {
            if ((isClosed || given.isPresent()) && !due.isEmpty()) {
                // There may be another thread for it.
                schedule();
            }
            completion.run();
        }
    }

    /** Completes what is left, on other threads, as many as callbacks block; does not wait for them. */
    void close() {
        isClosed = true;
        // Whatever was scheduled may stand behind a callback that blocks.
        scheduled.set(false);
        if (!due.isEmpty()) {
            schedule();
            own.execute(this::completeDue);
        }
    }

    /** The same future, completed here. */
    <T> CompletableFuture<T> outward(CompletableFuture<T> inner) {
        CompletableFuture<T> outer = new CompletableFuture<>();
        inner.whenComplete((value, failure) -> execute(() -> {
            if (failure == null) {
                outer.complete(value);
            } else {
                outer.completeExceptionally(failure);
            }
        }));
        return outer;
    }
}
