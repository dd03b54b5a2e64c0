package io.anneal.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As a pool of many threads, one of which runs at a time: tasks start a little later than they are given, in any order. They run
 * on the network's own thread, one inside the other, or each on one of its own.
 */
final class SimulatedExecutor extends AbstractExecutorService {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatedExecutor.class);
    private static final long TASK_DELAY_MAX_NANOS = 100_000;

    private final SimulatedTime time;
    private final boolean hasThreads;
    private final Map<Long, Runnable> waiting = new LinkedHashMap<>();
    private long taskCount;
    private int runningTasks;
    private boolean shutDown;

    /** @param hasThreads whether each task has a thread of its own */
    SimulatedExecutor(SimulatedTime time, boolean hasThreads) {
        this.time = time;
        this.hasThreads = hasThreads;
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException("executor is shut down");
        }
        long number = taskCount++;
        waiting.put(number, task);
        time.after(time.random().nextLong(TASK_DELAY_MAX_NANOS), () -> run(number));
    }

    private void run(long number) {
        Runnable task = waiting.remove(number);
        if (task == null) {
            return; // The executor was shut down at once.
        }
        runningTasks++;
        if (hasThreads) {
            time.threads().start(() -> runNow(task));
        } else {
            runNow(task);
        }
    }

    private void runNow(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException failure) {
            LOG.error("task failed", failure);
        } finally {
            runningTasks--;
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new Task<>(callable);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable task, T value) {
        return new Task<>(() -> {
            task.run();
            return value;
        });
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        List<Runnable> left = new ArrayList<>(waiting.values());
        waiting.clear();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown && waiting.isEmpty() && runningTasks == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return time.runUntil(this::isTerminated, Duration.ofNanos(unit.toNanos(timeout)));
    }

    private final class Task<T> extends FutureTask<T> {
        Task(Callable<T> callable) {
            super(callable);
        }

        @Override
        public T get() throws InterruptedException, ExecutionException {
            if (!isDone() && time.isThread()) {
                time.runUntilInterrupted(this::isDone);
            }
            return super.get();
        }

        @Override
        public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            if (!isDone()
                    && time.isThread()
                    && !time.runUntilInterrupted(this::isDone, Duration.ofNanos(unit.toNanos(timeout)))) {
                throw new TimeoutException();
            }
            return super.get();
        }
    }
}
