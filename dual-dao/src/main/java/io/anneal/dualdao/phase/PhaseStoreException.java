package io.anneal.dualdao.phase;

/** A phase store could not be asked, or holds what is no phase record. */
public final class PhaseStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PhaseStoreException(String message) {
        super(message);
    }

    public PhaseStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
