package io.anneal.simulation;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A world of one thread: a clock that jumps from event to event, and executors whose tasks are those events, in an order that one
 * seed gives. Everything that happens at the same moment happens in a random order. The clock never stands still between
 * two readings.
 */
final class VirtualTime implements InstantSource {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Event(long atNanos, long tie, Runnable work) {}

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>((left, right) -> left.atNanos != right.atNanos
            ? Long.compare(left.atNanos, right.atNanos)
            : Long.compare(left.tie, right.tie));
    private long nanos;

    VirtualTime(SplittableRandom random) {
        this.random = random;
    }

    long nanoTime() {
        return nanos++;
    }

    /** Strictly monotonic in microseconds, so that no two writes tie. */
    @Override
    public Instant instant() {
        nanos += 1_000;
        return START.plusNanos(nanos);
    }

    /** As {@link #instant} would tell, without the clock going on for it. */
    long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, START.plusNanos(nanos));
    }

    void after(long delayNanos, Runnable work) {
        events.add(new Event(nanos + Math.max(1, delayNanos), random.nextLong(), work));
    }

    /** Runs the next event; whether there was one. */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nanos = Math.max(nanos, next.atNanos);
        next.work.run();
        return true;
    }

    void runFor(long durationNanos) {
        long end = nanos + durationNanos;
        while (!events.isEmpty() && events.peek().atNanos <= end) {
            step();
        }
        nanos = Math.max(nanos, end);
    }

    /** An executor of one process, all of whose tasks vanish when it is killed. */
    Process process() {
        return new Process();
    }

    /** The threads of one process. */
    final class Process {
        private boolean killed;

        void kill() {
            killed = true;
        }

        boolean killed() {
            return killed;
        }

        /** Runs later in this process, if it still lives then. */
        void after(long delayNanos, Runnable work) {
            VirtualTime.this.after(delayNanos, () -> {
                if (!killed) {
                    work.run();
                }
            });
        }

        ScheduledExecutorService executor() {
            return new Executor(this);
        }
    }

    private final class Executor extends AbstractExecutorService implements ScheduledExecutorService {
        private static final long DISPATCH_NANOS = 20_000;

        private final Process process;
        private boolean shutdown;

        Executor(Process process) {
            this.process = process;
        }

        @Override
        public void execute(Runnable work) {
            schedule(work, random.nextLong(DISPATCH_NANOS), TimeUnit.NANOSECONDS);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
            return schedule(Executors.callable(work), delay, unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
            Task<V> task = new Task<>(nanos + unit.toNanos(delay));
            process.after(unit.toNanos(delay), () -> task.run(work));
            return task;
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long first, long period, TimeUnit unit) {
            return scheduleWithFixedDelay(work, first, period, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long first, long delay, TimeUnit unit) {
            Task<Object> task = new Task<>(nanos + unit.toNanos(first));
            repeat(task, work, unit.toNanos(first), unit.toNanos(delay));
            return task;
        }

        private void repeat(Task<Object> task, Runnable work, long nextNanos, long delayNanos) {
            process.after(nextNanos, () -> {
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
            return unit.convert(atNanos - nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
