package io.anneal.dualdao.journal;

/** A key journal could not keep a key, or can't be read. */
public final class JournalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JournalException(String message) {
        super(message);
    }

    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
