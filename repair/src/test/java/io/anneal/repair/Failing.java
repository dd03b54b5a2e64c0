package io.anneal.repair;

import java.util.concurrent.Executor;

/** Executors that take nothing. */
final class Failing {
    private Failing() {}

    static Executor with(Class<? extends Throwable> type) {
        return task -> {
            Throwable failure;
            try {
                failure = type.getConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        };
    }
}
