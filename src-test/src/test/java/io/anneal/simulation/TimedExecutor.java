package io.anneal.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor in a world of one thread, whose delays go by in that world's time. */
abstract class TimedExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private boolean shutdown;

    abstract long nanos();

    /** Runs it in the one thread, so much later. */
    abstract void after(long delayNanos, Runnable work);

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        return schedule(Executors.callable(work), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
        Task<V> task = new Task<>(nanos() + unit.toNanos(delay));
        after(unit.toNanos(delay), () -> task.run(work));
        return task;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long first, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(work, first, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long first, long delay, TimeUnit unit) {
        Task<Object> task = new Task<>(nanos() + unit.toNanos(first));
        repeat(task, work, unit.toNanos(first), unit.toNanos(delay));
        return task;
    }

    private void repeat(Task<Object> task, Runnable work, long nextNanos, long delayNanos) {
        after(nextNanos, () -> {
            if (!shutdown && !task.isDone()) {
                work.run();
                repeat(task, work, delayNanos, delayNanos);
            }
        });
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        return new ArrayList<>();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }

    private final class Task<V> extends CompletableFuture<V> implements ScheduledFuture<V> {
        private final long atNanos;

        Task(long atNanos) {
            this.atNanos = atNanos;
        }

        void run(Callable<V> work) {
            if (isDone()) {
                return;
            }
            try {
                complete(work.call());
            } catch (Exception e) {
                completeExceptionally(e);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(atNanos - nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
