package io.anneal.harness.store;

/** A {@link MemoryPartitionDao} gave no answer on purpose: the call has happened, happens later, or never. */
public final class InjectedTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedTimeoutException(String message) {
        super(message);
    }
}
