package io.anneal.bench.peer;

/**
 * The peer refused a request, could not be started, or is gone. The message carries the peer's own reason, and the tail
 * of its logs where the process ended.
 */
public final class CassandraPeerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CassandraPeerException(String message) {
        super(message);
    }

    CassandraPeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
