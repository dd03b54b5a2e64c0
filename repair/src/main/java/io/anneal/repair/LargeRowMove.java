package io.anneal.repair;

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

    /** Before the first large row of a window is fetched, or read to be pushed. */
    void enter() {
        if (!entered) {
            MOVE.lock();
            entered = true;
        }
    }

    /** When the window is done, or failed. */
    void leave() {
        if (entered) {
            entered = false;
            MOVE.unlock();
        }
    }
}
