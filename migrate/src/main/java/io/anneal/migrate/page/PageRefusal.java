package io.anneal.migrate.page;

import java.util.Map;

/** A request that isn't answered as asked: an HTTP status, and what a person should know. */
final class PageRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient Map<String, Object> details;

    PageRefusal(int status, String message) {
        this(status, message, Map.of());
    }

    PageRefusal(int status, String message, Map<String, Object> details) {
        super(message);
        this.status = status;
        this.details = details;
    }

    int status() {
        return status;
    }

    /** Beside the message, in the answer. */
    Map<String, Object> details() {
        return details;
    }
}
