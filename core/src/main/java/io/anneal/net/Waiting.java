package io.anneal.net;

import io.anneal.environment.FutureFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Turns futures whose failures are I/O errors into blocking calls that throw them. */
public final class Waiting {
    private static final long CHECK_MS = 500;

    private Waiting() {}

    private interface Wait<T> {
        T get() throws InterruptedException, ExecutionException, IOException;
    }

    public static <T> T result(CompletableFuture<T> future) throws IOException {
        return result(future::get);
    }

    /** Called while the caller waits. */
    @FunctionalInterface
    public interface Check {
        /** What it throws ends the wait. */
        void run() throws IOException;
    }

    /** @param check called before the caller waits and every half second meanwhile; what it throws ends the wait */
    public static <T> T result(CompletableFuture<T> future, Check check) throws IOException {
        return result(() -> {
            while (!future.isDone()) {
                check.run();
                try {
                    return future.get(CHECK_MS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException notYet) {
                    // Checked again.
                }
            }
            return future.get();
        });
    }

    private static <T> T result(Wait<T> wait) throws IOException {
        try {
            return wait.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted while waiting for a peer");
            failure.initCause(interrupted);
            throw failure;
        } catch (ExecutionException failed) {
            throw FutureFailure.asIOException(failed);
        }
    }

    /** Waits for all, in order; the first failure is thrown. */
    public static <T> List<T> results(List<CompletableFuture<T>> futures) throws IOException {
        List<T> results = new ArrayList<>();
        for (CompletableFuture<T> future : futures) {
            results.add(result(future));
        }
        return results;
    }
}
