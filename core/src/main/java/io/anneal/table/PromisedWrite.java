package io.anneal.table;

import java.util.concurrent.CompletableFuture;

/** A write that nobody waits for: a future, completed where callbacks run. */
final class PromisedWrite extends CompletableFuture<Void> implements Receipt, Runnable {
    private final Callbacks callbacks;
    /** Handed over with the task; null when the write is applied. */
    private Throwable failure;

    PromisedWrite(Callbacks callbacks) {
        this.callbacks = callbacks;
    }

    @Override
    public void applied() {
        callbacks.execute(this);
    }

    @Override
    public void failed(Throwable reason) {
        failure = reason;
        callbacks.execute(this);
    }

    /** Completes the future; what depends on it runs here. */
    @Override
    public void run() {
        if (failure == null) {
            complete(null);
        } else {
            completeExceptionally(failure);
        }
    }
}
