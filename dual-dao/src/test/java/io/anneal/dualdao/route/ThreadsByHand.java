package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.ShadowConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Threads that run when a test says so, on the test's own thread, and a clock that goes on when it says so. */
final class ThreadsByHand implements DualEnvironment.Threads {
    private final ArrayDeque<Runnable> shadow = new ArrayDeque<>();
    private final PriorityQueue<Timed<?>> timed = new PriorityQueue<>(Comparator.comparingLong(task -> task.dueNanos));
    private int shadowMax;
    private long nowNanos = 1;

    long nanoTime() {
        return nowNanos;
    }

    int shadowWaiting() {
        return shadow.size();
    }

    /** How many tasks wait for their time. */
    int timedWaiting() {
        return timed.size();
    }

    /** Runs what waits for the pool, and what that brings about. */
    void runShadow() {
        while (!shadow.isEmpty()) {
            shadow.removeFirst().run();
        }
    }

    void runOneShadow() {
        shadow.removeFirst().run();
    }

    /** Lets time go by, and runs what is due. */
    void pass(long nanos) {
        nowNanos += nanos;
        while (!timed.isEmpty() && timed.peek().dueNanos <= nowNanos) {
            timed.poll().run();
        }
    }

    @Override
    public ExecutorService shadow(ShadowConfig config) {
        shadowMax = config.threads() + config.queueLength();
        return new ByHand();
    }

    /** On the thread of who waits for it. */
    @Override
    public ExecutorService handOff() {
        return new ByHand() {
            @Override
            public void execute(Runnable task) {
                if (isShutdown()) {
                    throw new RejectedExecutionException("shut down");
                }
                task.run();
            }
        };
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return new ByHand();
    }

    private final class Timed<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
        private final long dueNanos;

        Timed(Callable<V> task, long dueNanos) {
            super(task);
            this.dueNanos = dueNanos;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            timed.remove(this);
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - nowNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }
    }

    private class ByHand extends AbstractExecutorService implements ScheduledExecutorService {
        private boolean shutDown;

        @Override
        public void execute(Runnable task) {
            if (shutDown || shadow.size() >= shadowMax) {
                throw new RejectedExecutionException("full");
            }
            shadow.addLast(task);
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
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void shutdown() {
            shutDown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutDown = true;
            List<Runnable> left = new ArrayList<>(shadow);
            shadow.clear();
            return left;
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
