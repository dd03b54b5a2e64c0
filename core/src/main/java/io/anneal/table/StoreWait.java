package io.anneal.table;

import io.anneal.environment.FutureFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** How callers wait for the store: who may, and what becomes of a failure or an interrupt. */
public final class StoreWait {
    private StoreWait() {}

    /**
     * The interrupt of this thread, which stays interrupted.
     *
     * @param sequel what has become of what it asked for
     */
    static InterruptedIOException interrupted(String sequel) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted " + sequel);
    }

    /** @throws IllegalStateException on a thread that the store works with: it would wait for itself */
    public static void requireMayWait() {
        if (Mailbox.isReceiving()) {
            throw new IllegalStateException(
                    "a thread of the store cannot wait for the store: use the asynchronous calls");
        }
    }

    /** Waits for what the store was asked for; its own threads must not. */
    static <T> T await(CompletableFuture<T> asked) throws IOException {
        if (!asked.isDone()) {
            requireMayWait();
        }
        try {
            return asked.get();
        } catch (InterruptedException e) {
            throw interrupted("while waiting for the store: what was asked for goes on");
        } catch (ExecutionException e) {
            throw FutureFailure.asIOException(e);
        }
    }
}
