package io.anneal.repair;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for what replicas answer; their failures are thrown as they are. */
final class Waiting {
    private Waiting() {}

    static <T> T on(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a replica");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new RepairException("replica failed", e.getCause());
        }
    }

    /** Waits for all, in order; the first failure is thrown. */
    static <T> List<T> onAll(List<CompletableFuture<T>> futures) throws IOException {
        List<T> results = new ArrayList<>();
        for (CompletableFuture<T> future : futures) {
            results.add(on(future));
        }
        return results;
    }
}
