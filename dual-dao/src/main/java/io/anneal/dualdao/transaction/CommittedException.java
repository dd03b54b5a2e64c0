package io.anneal.dualdao.transaction;

/**
 * A transaction was committed, and one side lacks what it wrote. The keys are in the journal and are copied later; until then
 * some reads see what the transaction wrote, and others don't. To the caller it is a commit whose outcome is unknown.
 */
public final class CommittedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommittedException(String message, Throwable cause) {
        super(message, cause);
    }
}
