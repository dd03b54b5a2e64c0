package io.anneal.table;

import io.anneal.environment.FutureFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

/**
 * Reads that run at once: at most so many as there are threads for them, which start when they are first needed. Those of
 * several callers take turns. Any thread.
 */
public final class Reads {
    /** Reads one thing. */
    public interface Reader<V> {
        V read() throws IOException;
    }

    /** @param name said when it fails */
    public record Task<V>(Object name, Reader<V> reader) {}

    private final int threadsMax;
    private final IntFunction<? extends Executor> threads;
    private final Callbacks callbacks;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final List<Executor> started = new ArrayList<>();
    private int turn;

    Reads(int threadsMax, IntFunction<? extends Executor> threads, Callbacks callbacks) {
        this.threadsMax = threadsMax;
        this.threads = threads;
        this.callbacks = callbacks;
    }

    /** What one call asked for. */
    private final class Batch<V> implements Runnable {
        private final List<Task<V>> tasks;
        private final AtomicReferenceArray<V> values;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final CompletableFuture<List<V>> done = new CompletableFuture<>();

        private Batch(List<Task<V>> tasks) {
            this.tasks = List.copyOf(tasks);
            values = new AtomicReferenceArray<>(tasks.size());
            left = new AtomicInteger(tasks.size());
            if (tasks.isEmpty()) {
                done.complete(List.of());
            }
        }

        /** Reads one, then lets others have the thread. */
        @Override
        public void run() {
            if (readNext()) {
                waiting.add(this);
            }
        }

        /** Whether there may be more to read. */
        private boolean readNext() {
            int index = done.isDone() ? tasks.size() : next.getAndIncrement();
            if (index >= tasks.size()) {
                return false;
            }
            try {
                values.set(index, tasks.get(index).reader().read());
            } catch (IOException | RuntimeException | Error e) {
                done.completeExceptionally(named(tasks.get(index), e));
                return false;
            }
            if (left.decrementAndGet() == 0) {
                List<V> all = new ArrayList<>(tasks.size());
                for (int i = 0; i < tasks.size(); i++) {
                    all.add(values.get(i));
                }
                done.complete(all);
            }
            return true;
        }

        private void begin(int count) {
            for (int i = 0; i < count; i++) {
                Reads.this.begin(this);
            }
        }
    }

    private static Throwable named(Task<?> task, Throwable failure) {
        String text = "read failed, " + task.name() + ", reason=" + failure.getMessage();
        if (failure instanceof IOException) {
            return new IOException(text, failure);
        }
        return failure instanceof RuntimeException ? new IllegalStateException(text, failure) : failure;
    }

    private void begin(Batch<?> batch) {
        waiting.add(batch);
        thread().execute(this::runWaiting);
    }

    private void runWaiting() {
        Runnable next;
        while ((next = waiting.poll()) != null) {
            next.run();
        }
    }

    private synchronized Executor thread() {
        if (started.size() < threadsMax) {
            started.add(threads.apply(started.size()));
            return started.get(started.size() - 1);
        }
        return started.get(turn++ % started.size());
    }

    /** Waits for all; the caller's thread reads as well, so that it never waits for a thread that waits for it. */
    <V> List<V> all(List<Task<V>> tasks) throws IOException {
        Batch<V> batch = new Batch<>(tasks);
        batch.begin(Math.min(threadsMax, tasks.size() - 1));
        boolean more = true;
        while (more) {
            more = batch.readNext();
        }
        return await(batch.done);
    }

    /** What is left is being read on other threads: none of them waits for this one. */
    private static <V> V await(CompletableFuture<V> reading) throws IOException {
        try {
            return reading.get();
        } catch (InterruptedException e) {
            reading.cancel(false);
            throw StoreWait.interrupted("while reading");
        } catch (ExecutionException e) {
            throw FutureFailure.asIOException(e);
        }
    }

    <V> CompletableFuture<List<V>> allAsync(List<Task<V>> tasks) {
        Batch<V> batch = new Batch<>(tasks);
        CompletableFuture<List<V>> outer = callbacks.outward(batch.done);
        // Cancelled from outside: nothing more is read for it.
        outer.whenComplete((values, failure) -> batch.done.cancel(false));
        batch.begin(Math.min(threadsMax, tasks.size()));
        return outer;
    }
}
