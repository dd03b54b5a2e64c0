package io.anneal.migrate.bulk;

import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works ranges off on several threads. A range that fails is tried again after a while, each time twice as long; one that fails as often
 * as it may is left, and the others are finished all the same. One thread calls; it waits.
 */
final class RangeWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(RangeWorkers.class);
    private static final long BACKOFF_MAX_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long END_SECONDS = 60;

    /** The work on one range, from its begin. */
    @FunctionalInterface
    interface Task {
        void run(BulkRange range) throws IOException, InterruptedException;
    }

    private record Failure(BulkRange range, Exception cause) {}

    private final HostEnvironment environment;
    private final int parallel;
    private final int attempts;
    private final Duration backoff;
    private final AtomicInteger retries = new AtomicInteger();

    RangeWorkers(HostEnvironment environment, int parallel, int attempts, Duration backoff) {
        this.environment = environment;
        this.parallel = parallel;
        this.attempts = attempts;
        this.backoff = backoff;
    }

    /** How often a range was tried again so far. */
    int retries() {
        return retries.get();
    }

    /**
     * Runs a task for each range.
     *
     * @throws BulkFailedException when ranges failed as often as they were tried; names them
     * @throws BulkRefusedException when a task throws it: the others are interrupted
     */
    void run(String what, List<BulkRange> ranges, Task task) throws IOException, InterruptedException {
        Queue<BulkRange> waiting = new ConcurrentLinkedQueue<>(ranges);
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        List<ExecutorService> threads = new ArrayList<>();
        int count = Math.min(parallel, ranges.size());
        try {
            BlockingQueue<Future<Void>> ended = new LinkedBlockingQueue<>();
            for (int i = 0; i < count; i++) {
                ExecutorService thread = environment.threads().single(what + "-" + i);
                threads.add(thread);
                new ExecutorCompletionService<>(thread, ended).submit(() -> {
                    work(what, waiting, task, failures);
                    return null;
                });
            }
            for (int i = 0; i < count; i++) {
                result(ended.take());
            }
        } finally {
            end(threads);
        }
        if (!failures.isEmpty()) {
            throw failed(what, List.copyOf(failures));
        }
    }

    private static void result(Future<Void> ended) throws IOException, InterruptedException {
        try {
            ended.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BulkRefusedException refused) {
                throw refused;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            if (e.getCause() instanceof InterruptedException || e.getCause() instanceof CancellationException) {
                throw interrupted(e.getCause());
            }
            throw new IOException("worker ended", e.getCause());
        }
    }

    private static InterruptedException interrupted(Throwable cause) {
        InterruptedException interrupted = new InterruptedException("worker was interrupted");
        interrupted.initCause(cause);
        return interrupted;
    }

    /** Nobody writes any more once this returns. */
    private static void end(List<ExecutorService> threads) throws InterruptedException {
        threads.forEach(ExecutorService::shutdownNow);
        for (ExecutorService thread : threads) {
            if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("worker does not end though it was interrupted, waitedSeconds={}", END_SECONDS);
            }
        }
    }

    private void work(String what, Queue<BulkRange> waiting, Task task, Queue<Failure> failures)
            throws InterruptedException {
        for (BulkRange range = waiting.poll(); range != null; range = waiting.poll()) {
            long waitNanos = backoff.toNanos();
            for (int attempt = 1; !tried(what, range, task, attempt, failures); attempt++) {
                retries.incrementAndGet();
                environment.sleeper().sleepNanos(waitNanos);
                waitNanos = Math.min(BACKOFF_MAX_NANOS, 2 * waitNanos);
            }
        }
    }

    /** Whether there is nothing more to try. */
    private boolean tried(String what, BulkRange range, Task task, int attempt, Queue<Failure> failures)
            throws InterruptedException {
        try {
            task.run(range);
            return true;
        } catch (BulkRefusedException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            if (Thread.interrupted()) {
                throw interrupted(e);
            }
            LOG.warn(
                    "range failed, run={}, range={}, attempt={} of {}, reason={}",
                    what,
                    range,
                    attempt,
                    attempts,
                    e.toString());
            if (attempt < attempts) {
                return false;
            }
            failures.add(new Failure(range, e));
            return true;
        }
    }

    private BulkFailedException failed(String what, List<Failure> failures) {
        BulkFailedException failed = new BulkFailedException(
                "ranges failed as often as they were tried, the next run goes on with them, run=" + what + ", ranges="
                        + failures.stream().map(Failure::range).limit(10).toList() + ", count=" + failures.size()
                        + ", attempts=" + attempts + ", reason="
                        + failures.get(0).cause().getMessage(),
                failures.get(0).cause());
        failures.stream().skip(1).limit(10).forEach(failure -> failed.addSuppressed(failure.cause()));
        return failed;
    }
}
