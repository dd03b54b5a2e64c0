package io.anneal.paging.querier;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
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
    private final Deque<Object> waiting = new ArrayDeque<>();
    private int reads;
    private long heldBytes;

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
    synchronized Permit acquire(String table) throws IOException {
        Object place = new Object();
        waiting.addLast(place);
        try {
            long deadlineNanos = nanoTime.getAsLong() + limits.patience().toNanos();
            while (waiting.peekFirst() != place || !hasRoom()) {
                long leftNanos = deadlineNanos - nanoTime.getAsLong();
                if (leftNanos <= 0) {
                    throw new ReadTimeoutException(table, limits.patience(), reads, heldBytes, waiting.size());
                }
                TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
            }
            reads++;
            return new Permit();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure =
                    new InterruptedIOException("interrupted while a page waited, table=" + table);
            failure.initCause(interrupted);
            throw failure;
        } finally {
            waiting.remove(place);
            notifyAll();
        }
    }

    private boolean hasRoom() {
        return reads == 0 || reads < limits.reads() && heldBytes + FIRST_BYTES <= limits.bytes();
    }

    /** Pages that are being read. */
    synchronized int reads() {
        return reads;
    }

    /** Heap of all pages that are being read. */
    synchronized long heldBytes() {
        return heldBytes;
    }

    private synchronized void change(int readsMore, long bytesMore) {
        reads += readsMore;
        heldBytes += bytesMore;
        if (readsMore < 0 || bytesMore < 0) {
            notifyAll();
        }
    }

    /** The right to read one page. One thread. */
    final class Permit implements AutoCloseable {
        private long bytes = FIRST_BYTES;

        private Permit() {
            heldBytes += bytes;
        }

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
