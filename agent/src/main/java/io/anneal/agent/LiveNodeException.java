package io.anneal.agent;

import java.io.IOException;

/** A live Cassandra node can't be reached, refuses, or must not be given anything: says which node, and why. */
public final class LiveNodeException extends IOException {
    private static final long serialVersionUID = 1;

    LiveNodeException(String message) {
        super(message);
    }

    LiveNodeException(String message, Throwable cause) {
        super(message, cause);
    }
}
