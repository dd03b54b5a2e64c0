package io.anneal.table;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where futures that users hold are completed, and so where what depends on them runs: never on a thread that the store works
 * with. One task completes all that has come. A callback that blocks holds up those behind it, unless the executor has
 * another thread, which takes them over; it never holds up the store. Any thread.
 */
final class Callbacks implements Executor {
    private final Optional<Executor> given;
    private final Executor own;
    private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * @param given by the user
     * @param own when there is no other, or it takes no task any more
     */
    Callbacks(Optional<Executor> given, Executor own) {
        this.given = given;
        this.own = own;
    }

    /** @param completion must not throw */
    @Override
    public void execute(Runnable completion) {
        due.add(completion);
        schedule();
    }

    private void schedule() {
        if (scheduled.get() || !scheduled.compareAndSet(false, true)) {
            return;
        }
        try {
            given.orElse(own).execute(this::run);
        } catch (RejectedExecutionException e) {
            completeAll();
        }
    }

    /** Completes what the given executor leaves undone: it takes tasks no more, or the store is being closed. */
    void completeAll() {
        try {
            own.execute(this::run);
        } catch (RejectedExecutionException e) {
            // The store is closed: none of its threads is held up any more.
            run();
        }
    }

    private void run() {
        // First: while a callback blocks here the next completion gets another task.
        scheduled.set(false);
        Runnable completion;
        while ((completion = due.poll()) != null) {
            if (given.isPresent() && !due.isEmpty()) {
                // It may have another thread.
                schedule();
            }
            completion.run();
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
