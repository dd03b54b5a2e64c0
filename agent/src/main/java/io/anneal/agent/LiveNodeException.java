package io.anneal.agent;

import java.io.IOException;

/** A live Cassandra node can't be reached, refuses, or must not be given anything: says which node, and why. */
public final class LiveNodeException extends IOException {
    private static final long serialVersionUID = 1;

    /** Whether it is so for good: what was held, or the snapshot, is of no use any more. */
    private final boolean isOver;

    LiveNodeException(String message) {
        this(message, null);
    }

    LiveNodeException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private LiveNodeException(String message, Throwable cause, boolean isOver) {
        super(message, cause);
        this.isOver = isOver;
    }

    /** What a run holds, or its snapshot, is of no use any more: to try again is in vain. */
    static LiveNodeException over(String message) {
        return new LiveNodeException(message, null, true);
    }

    boolean isOver() {
        return isOver;
    }
}
