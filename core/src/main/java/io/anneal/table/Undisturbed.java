package io.anneal.table;

import io.anneal.environment.FutureFailure;
import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Work on a store or a table as a whole, which must not end half-way: it runs on a thread of its own, whom nobody interrupts.
 * The platform closes files under a thread that is interrupted. The caller waits for the end and stays interrupted if it was.
 */
public final class Undisturbed {
    /** What is done. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException;
    }

    /** Of an interrupt: nothing is changed, nor will be. */
    static final String BEFORE = "before anything was done";

    private Undisturbed() {}

    /**
     * Before anything is begun.
     *
     * @throws InterruptedIOException when this thread is interrupted
     */
    public static void requireUninterrupted() throws InterruptedIOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted " + BEFORE);
        }
    }

    /**
     * Does it, and waits.
     *
     * @param name of the thread
     */
    public static <T> T call(HostEnvironment environment, String name, Work<T> work) throws IOException {
        StoreWait.requireMayWait();
        ScheduledExecutorService thread = environment.threads().single(name);
        try {
            CompletableFuture<T> done = new CompletableFuture<>();
            thread.execute(() -> {
                try {
                    done.complete(work.run());
                } catch (IOException | RuntimeException | Error e) {
                    done.completeExceptionally(e);
                }
            });
            return join(done);
        } finally {
            thread.shutdown();
        }
    }

    /** Waits, whoever interrupts. */
    static <T> T join(CompletableFuture<T> asked) throws IOException {
        try {
            return asked.join();
        } catch (CompletionException e) {
            throw FutureFailure.asIOException(e);
        }
    }
}
