package io.anneal.job;

import io.anneal.environment.FutureFailure;
import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the same work on several threads, or on the caller's own where one is enough. What the first of them throws ends the others,
 * and reaches the caller as it is.
 */
final class JobWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(JobWorkers.class);
    private static final long END_SECONDS = 60;

    /** What each thread does; it returns when nothing is left to do. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    private final String name;
    private final HostEnvironment.Threads threads;
    private final Set<Thread> working = new HashSet<>();
    private boolean interrupted;
    private volatile boolean ending;

    JobWorkers(String name, HostEnvironment.Threads threads) {
        this.name = name;
        this.threads = threads;
    }

    /** Whether workers must stop since one of them failed, or the caller does not wait any more. */
    boolean isEnding() {
        return ending;
    }

    /** Interrupts all that work now. What has not started sees by other means that it must not. */
    void interrupt() {
        synchronized (working) {
            interrupted = true;
            working.forEach(Thread::interrupt);
        }
    }

    void run(int count, Work work) throws IOException, InterruptedException {
        if (count == 1) {
            enlisted(work);
        } else {
            onThreads(count, work);
        }
    }

    private void enlisted(Work work) throws IOException, InterruptedException {
        synchronized (working) {
            working.add(Thread.currentThread());
        }
        try {
            work.run();
        } finally {
            synchronized (working) {
                working.remove(Thread.currentThread());
                if (interrupted) {
                    // It was meant for the work, not for what the thread does next.
                    Thread.interrupted();
                }
            }
        }
    }

    private void onThreads(int count, Work work) throws IOException, InterruptedException {
        List<ExecutorService> started = new ArrayList<>();
        boolean done = false;
        try {
            BlockingQueue<Future<Void>> ended = new LinkedBlockingQueue<>();
            for (int i = 0; i < count; i++) {
                ExecutorService thread = threads.single(name + "-" + i);
                started.add(thread);
                new ExecutorCompletionService<>(thread, ended).submit(() -> {
                    enlisted(work);
                    return null;
                });
            }
            for (int i = 0; i < count; i++) {
                result(ended.take());
            }
            done = true;
        } finally {
            ending = !done;
            end(started);
        }
    }

    private static void result(Future<Void> ended) throws IOException, InterruptedException {
        try {
            ended.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            if (cause instanceof InterruptedException) {
                throw interrupted(cause);
            }
            throw FutureFailure.asIOException(cause);
        }
    }

    static InterruptedException interrupted(Throwable cause) {
        InterruptedException interrupted = new InterruptedException("worker was interrupted");
        interrupted.initCause(cause);
        return interrupted;
    }

    /** Nobody works any more once this returns, whoever interrupts the caller meanwhile. */
    private void end(List<ExecutorService> started) {
        started.forEach(ExecutorService::shutdownNow);
        started.forEach(thread -> end(thread, END_SECONDS, "worker does not end though it was interrupted", name));
    }

    /** Shuts a thread down and waits for its end; a caller that is interrupted stays so. Logs, and answers false, if it takes long. */
    static boolean end(ExecutorService thread, long seconds, String warning, String name) {
        boolean interrupted = false;
        thread.shutdown();
        try {
            while (true) {
                try {
                    if (thread.awaitTermination(seconds, TimeUnit.SECONDS)) {
                        return true;
                    }
                    LOG.warn("{}, job={}, waitedSeconds={}", warning, name, seconds);
                    return false;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
