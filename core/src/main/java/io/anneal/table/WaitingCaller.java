package io.anneal.table;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits for its write. Made by that thread. Callers whose writes are applied together are woken one by the other:
 * the store's thread wakes one of them and goes on, and no crowd of threads keeps it from the processor.
 */
final class WaitingCaller implements Receipt {
    private final Thread thread = Thread.currentThread();
    /** Written before {@link #isAnswered}; null when the write is applied. */
    private Throwable failure;
    /** Written before {@link #isAnswered}; woken by this one. */
    private WaitingCaller next;

    private volatile boolean isAnswered;
    private boolean isGone;

    @Override
    public void applied() {
        applied(List.of(this));
    }

    @Override
    public void failed(Throwable reason) {
        failure = reason;
        applied();
    }

    /** Says to all of them that their writes are applied. */
    static void applied(List<WaitingCaller> callers) {
        WaitingCaller first = null;
        for (int i = callers.size() - 1; i >= 0; i--) {
            if (callers.get(i).answer(first)) {
                first = callers.get(i);
            }
        }
        wake(first);
    }

    private static void wake(WaitingCaller caller) {
        if (caller != null) {
            LockSupport.unpark(caller.thread);
        }
    }

    /** Whether the caller is still there, and so wakes the one that is to come after it. */
    private boolean answer(WaitingCaller after) {
        synchronized (this) {
            if (isGone) {
                return false;
            }
            next = after;
            isAnswered = true;
            return true;
        }
    }

    /** Whether the caller may go before it has an answer. */
    private boolean leave() {
        synchronized (this) {
            isGone = !isAnswered;
            return isGone;
        }
    }

    /** Returns once the write is applied; throws why it failed. */
    void await() throws IOException {
        assert Thread.currentThread() == thread;
        while (!isAnswered) {
            if (thread.isInterrupted() && leave()) {
                throw Engine.interrupted();
            }
            LockSupport.park(this);
        }
        wake(next);
        if (failure != null) {
            throw Engine.asIOException(failure);
        }
    }
}
