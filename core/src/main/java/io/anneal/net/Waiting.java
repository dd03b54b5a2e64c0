package io.anneal.net;

import io.anneal.environment.FutureFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Turns futures whose failures are I/O errors into blocking calls that throw them. */
public final class Waiting {
    private Waiting() {}

    public static <T> T result(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
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
