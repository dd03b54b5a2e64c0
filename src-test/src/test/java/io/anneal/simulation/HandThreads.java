package io.anneal.simulation;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.PhaseControl;
import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Threads and time of a dual DAO in a test's hands: nothing runs beside a call, and no time goes by, until the test says so. */
final class HandThreads implements DualEnvironment.Threads {
    private final Deque<Runnable> beside = new ConcurrentLinkedDeque<>();
    private final PriorityQueue<Timed<?>> timed = new PriorityQueue<>();
    private long nowNanos = 1;

    DualEnvironment environment() {
        return new DualEnvironment(this::now, () -> nowNanos, PhaseControl.Sleeper.THREAD, this);
    }

    Instant now() {
        return Instant.EPOCH.plusNanos(nowNanos);
    }

    /** Runs what is to be done beside calls, and what that brings about. */
    void runBeside() {
        while (!beside.isEmpty()) {
            beside.removeFirst().run();
        }
    }

    int waitingBeside() {
        return beside.size();
    }

    void pass(long duration, TimeUnit unit) {
        nowNanos += unit.toNanos(duration);
        while (!timed.isEmpty() && timed.peek().dueNanos <= nowNanos) {
            timed.poll().run();
        }
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return new Hand(Integer.MAX_VALUE);
    }

    @Override
    public ExecutorService shadow(ShadowConfig config) {
        return new Hand(config.threads() + config.queueLength());
    }

    private final class Timed<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long dueNanos;

        Timed(Callable<V> task, long dueNanos) {
            super(task);
            this.dueNanos = dueNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - nowNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    private final class Hand extends AbstractExecutorService implements ScheduledExecutorService {
        private final int room;
        private boolean shutDown;

        Hand(int room) {
            this.room = room;
        }

        @Override
        public void execute(Runnable task) {
            if (shutDown || beside.size() >= room) {
                throw new RejectedExecutionException("no room");
            }
            beside.addLast(task);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return schedule(Executors.callable(task), delay, unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
            if (shutDown) {
                throw new RejectedExecutionException("shut down");
            }
            Timed<V> scheduled = new Timed<>(task, nowNanos + unit.toNanos(delay));
            timed.add(scheduled);
            return scheduled;
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
            return new Timed<>(Executors.callable(task), Long.MAX_VALUE);
        }

        /** Polls by hand. */
        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            return new Timed<>(Executors.callable(task), Long.MAX_VALUE);
        }

        @Override
        public void shutdown() {
            shutDown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutDown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutDown;
        }

        @Override
        public boolean isTerminated() {
            return shutDown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
