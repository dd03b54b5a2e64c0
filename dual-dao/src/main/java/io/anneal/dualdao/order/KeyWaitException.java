package io.anneal.dualdao.order;

/**
 * A write waited for another of its key, and gave up: it took too long, too many wait, or the thread was interrupted. Nothing
 * was written.
 */
public final class KeyWaitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeyWaitException(String message) {
        super(message);
    }
}
