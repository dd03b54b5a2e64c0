package io.anneal.paging.querier;

import io.anneal.environment.FutureFailure;
import io.anneal.environment.HostEnvironment;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where work is done beside the pages that will want it, while there is a thread for it: shards are read ahead as long as there is a
 * core for each page that is read and for each shard that is read ahead. Its threads are started when they are needed first. Safe for any thread.
 */
public final class ReadAhead implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);

    /** What is done beside. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    private final int most;
    private final IntSupplier pages;
    private final HostEnvironment.Threads threads;
    private final List<ExecutorService> workers = new ArrayList<>();
    private final Deque<ExecutorService> idle = new ArrayDeque<>();
    private boolean isClosed;

    /**
     * @param most at once, and fewer for each page but one that is read meanwhile
     * @param pages how many are read now
     */
    ReadAhead(int most, IntSupplier pages, HostEnvironment.Threads threads) {
        this.most = most;
        this.pages = pages;
        this.threads = threads;
    }

    /** Begins some work for a page that is being read; empty when no core is free for it. */
    public synchronized Optional<Task> start(Work work) {
        int running = workers.size() - idle.size();
        if (isClosed || running + pages.getAsInt() > most) {
            return Optional.empty();
        }
        try {
            ExecutorService worker = idle.isEmpty() ? newWorker() : idle.pop();
            Task task = new Task(work);
            worker.execute(() -> {
                task.run();
                giveBack(worker);
            });
            return Optional.of(task);
        } catch (RuntimeException e) {
            LOG.debug("nothing is read ahead: there is no thread for it", e);
            return Optional.empty();
        }
    }

    private ExecutorService newWorker() {
        ExecutorService worker = threads.single("read-ahead");
        workers.add(worker);
        return worker;
    }

    private synchronized void giveBack(ExecutorService worker) {
        idle.push(worker);
    }

    /** Ends its threads. No page is read any more that would begin work. */
    @Override
    public synchronized void close() {
        isClosed = true;
        workers.forEach(ExecutorService::shutdown);
    }

    /** Work that may have begun. */
    public static final class Task {
        private final Work work;
        private final AtomicBoolean isClaimed = new AtomicBoolean();
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private Task(Work work) {
            this.work = work;
        }

        private void run() {
            if (!isClaimed.compareAndSet(false, true)) {
                return;
            }
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        }

        /**
         * Waits for its end, whatever interrupts meanwhile, or takes it back.
         *
         * @return whether it was done; else it had not begun, and never will
         * @throws IOException what it failed with
         */
        boolean finish() throws IOException {
            if (takeBack()) {
                return false;
            }
            try {
                done.join();
                return true;
            } catch (CompletionException e) {
                throw FutureFailure.asIOException(e);
            }
        }

        /**
         * The same, but ends when the thread is interrupted, which it stays: the work then comes to nobody.
         *
         * @throws InterruptedIOException when it is
         */
        public boolean await() throws IOException {
            if (takeBack()) {
                return false;
            }
            try {
                done.get();
                return true;
            } catch (ExecutionException e) {
                throw FutureFailure.asIOException(e);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                InterruptedIOException failure = new InterruptedIOException("interrupted while a page was waited for");
                failure.initCause(interrupted);
                throw failure;
            }
        }

        /** Returns whether the work had not begun, and never will. */
        public boolean takeBack() {
            return isClaimed.compareAndSet(false, true);
        }
    }
}
