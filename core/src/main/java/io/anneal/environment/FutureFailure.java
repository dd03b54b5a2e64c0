package io.anneal.environment;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What a future failed with, for those who depend on it and those who wait for it. */
public final class FutureFailure {
    private FutureFailure() {}

    /** Returns what was thrown, out of the exceptions that futures wrap it in; null for null. */
    public static Throwable cause(Throwable handedOn) {
        Throwable cause = handedOn;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns what a caller who waits is to be thrown; an unchecked exception is thrown here. */
    public static IOException asIOException(Throwable handedOn) {
        Throwable cause = cause(handedOn);
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return cause instanceof IOException known ? known : new IOException(cause);
    }
}
