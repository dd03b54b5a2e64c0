package io.anneal.table;

import io.anneal.environment.FutureFailure;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** A thread that waits for its write. Made by that thread. */
final class WaitingCaller implements Receipt {
    private final Thread thread = Thread.currentThread();
    /** Written before {@link #isAnswered}; null when the write is applied. */
    private Throwable failure;

    private volatile boolean isAnswered;

    @Override
    public void applied() {
        answer();
    }

    @Override
    public void failed(Throwable reason) {
        failure = reason;
        answer();
    }

    private void answer() {
        isAnswered = true;
        LockSupport.unpark(thread);
    }

    /** Returns once the write is applied; throws why it failed. */
    void await() throws IOException {
        assert Thread.currentThread() == thread;
        while (!isAnswered) {
            if (thread.isInterrupted()) {
                throw StoreWait.interrupted("while waiting for the write: whether it lasts is not known");
            }
            LockSupport.park(this);
        }
        if (failure != null) {
            throw FutureFailure.asIOException(failure);
        }
    }
}
