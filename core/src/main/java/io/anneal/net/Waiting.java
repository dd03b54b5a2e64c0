package io.anneal.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Turns a future whose failures are I/O errors into a blocking call that throws them. */
final class Waiting {
    private Waiting() {}

    static <T> T result(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted while waiting for a peer");
            failure.initCause(interrupted);
            throw failure;
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof IOException io) {
                throw io;
            }
            if (cause instanceof RuntimeException mistake) {
                throw mistake;
            }
            throw new IOException("request failed", cause);
        }
    }
}
