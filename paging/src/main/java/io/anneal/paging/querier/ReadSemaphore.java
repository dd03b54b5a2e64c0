package io.anneal.paging.querier;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Room for pages that are read at once, in number and in bytes. Who comes first is let in first. One page at a time is let in
 * whatever it takes, so that one that is larger than the whole passes. Safe for any thread.
 */
final class ReadSemaphore {
    /** What a page holds before it has told more: a block or two and what their cursors need. */
    private static final long FIRST_BYTES = 256 << 10;

    private final QuerierLimits limits;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiter> waiting = new ArrayDeque<>();
    private int reads;
    private long heldBytes;

    /** Who waits is let in by whoever makes room, and is the only one woken: a thousand that look by turns have no time to read. */
    private final class Waiter {
        private final Condition admitted = lock.newCondition();
        private boolean isAdmitted;
    }

    ReadSemaphore(QuerierLimits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
    }

    /**
     * Waits for room.
     *
     * @param table for the error
     * @throws ReadTimeoutException when there was none for as long as a page is patient
     * @throws InterruptedIOException when the thread was interrupted, which it stays
     */
    Permit acquire(String table) throws IOException {
        lock.lock();
        try {
            Waiter waiter = new Waiter();
            waiting.addLast(waiter);
            letIn();
            if (!waiter.isAdmitted) {
                await(waiter, table);
            }
            return new Permit();
        } finally {
            lock.unlock();
        }
    }

    private void await(Waiter waiter, String table) throws IOException {
        try {
            long deadlineNanos = nanoTime.getAsLong() + limits.patience().toNanos();
            while (!waiter.isAdmitted) {
                long leftNanos = deadlineNanos - nanoTime.getAsLong();
                if (leftNanos <= 0) {
                    throw new ReadTimeoutException(table, limits.patience(), reads, heldBytes, waiting.size());
                }
                waiter.admitted.awaitNanos(leftNanos);
            }
        } catch (InterruptedException interrupted) {
            if (waiter.isAdmitted) {
                change(-1, -FIRST_BYTES);
            }
            Thread.currentThread().interrupt();
            InterruptedIOException failure =
                    new InterruptedIOException("interrupted while a page waited, table=" + table);
            failure.initCause(interrupted);
            throw failure;
        } finally {
            if (!waiter.isAdmitted) {
                waiting.remove(waiter);
            }
        }
    }

    /** Lets in those that wait, as far as there is room. */
    private void letIn() {
        while (!waiting.isEmpty() && hasRoom()) {
            Waiter first = waiting.removeFirst();
            reads++;
            heldBytes += FIRST_BYTES;
            first.isAdmitted = true;
            first.admitted.signal();
        }
    }

    private boolean hasRoom() {
        return reads == 0 || reads < limits.reads() && heldBytes + FIRST_BYTES <= limits.bytes();
    }

    /** Pages that are being read. */
    int reads() {
        lock.lock();
        try {
            return reads;
        } finally {
            lock.unlock();
        }
    }

    /** Heap of all pages that are being read. */
    long heldBytes() {
        lock.lock();
        try {
            return heldBytes;
        } finally {
            lock.unlock();
        }
    }

    private void change(int readsMore, long bytesMore) {
        lock.lock();
        try {
            reads += readsMore;
            heldBytes += bytesMore;
            letIn();
        } finally {
            lock.unlock();
        }
    }

    /** The right to read one page. One thread. */
    final class Permit implements AutoCloseable {
        private long bytes = FIRST_BYTES;

        /** Tells what the page holds now. */
        void holds(long nowBytes) {
            if (nowBytes > bytes) {
                change(0, nowBytes - bytes);
                bytes = nowBytes;
            }
        }

        @Override
        public void close() {
            change(-1, -bytes);
        }
    }
}
