package io.anneal.repair;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one master of the process at a time move rows that are too large for a row buffer: the row that is on its way lies in
 * memory while the master waits for replicas. So it is no turn of {@link LargeRowTurns}, which those replicas need meanwhile;
 * nobody waits for a move while it holds one. Belongs to one session, on the master's thread.
 */
final class LargeRowMove {
    /** Of the process, as its heap is. */
    private static final ReentrantLock MOVE = new ReentrantLock();

    private boolean entered;

    /**
     * Before the first large row of a window is fetched, or read to be pushed.
     *
     * @throws InterruptedIOException when the thread is interrupted: who moves one now may wait for a silent replica; it stays
     *     interrupted
     */
    void enter() throws InterruptedIOException {
        if (entered) {
            return;
        }
        try {
            MOVE.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure =
                    new InterruptedIOException("interrupted while another repair moves a large row");
            failure.initCause(e);
            throw failure;
        }
        entered = true;
    }

    /** When the window is done, or failed. */
    void leave() {
        if (entered) {
            entered = false;
            MOVE.unlock();
        }
    }
}
