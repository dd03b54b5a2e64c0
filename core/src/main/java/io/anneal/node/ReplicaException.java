package io.anneal.node;

import java.io.IOException;

/** Raised when a replica cannot take part in what is asked of it; names the table, the place and the reason. */
public final class ReplicaException extends IOException {
    private static final long serialVersionUID = 1L;

    public ReplicaException(String message) {
        super(message);
    }
}
