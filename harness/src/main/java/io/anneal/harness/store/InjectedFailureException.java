package io.anneal.harness.store;

/** A {@link MemoryPartitionDao} failed on purpose, before it did anything. */
public final class InjectedFailureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedFailureException(String message) {
        super(message);
    }
}
