package io.anneal.agent;

import java.io.IOException;

/** A live Cassandra node can't be reached, refuses, or must not be given anything: says which node, and why. */
public final class LiveNodeException extends IOException {
    private static final long serialVersionUID = 1;

    /** Whether it is so for good: what was held, or the snapshot, is of no use any more. */
    private final boolean isOver;
    /** Whether it could not be spoken with at all. */
    private final boolean isUnreachable;

    LiveNodeException(String message) {
        this(message, null);
    }

    LiveNodeException(String message, Throwable cause) {
        this(message, cause, false, false);
    }

    private LiveNodeException(String message, Throwable cause, boolean isOver, boolean isUnreachable) {
        super(message, cause);
        this.isOver = isOver;
        this.isUnreachable = isUnreachable;
    }

    /** What a run holds, or its snapshot, is of no use any more: to try again is in vain. */
    static LiveNodeException over(String message) {
        return new LiveNodeException(message, null, true, false);
    }

    /** There was no connection, or the node took no login. */
    static LiveNodeException unreachable(String message, Throwable cause) {
        return new LiveNodeException(message, cause, false, true);
    }

    boolean isOver() {
        return isOver;
    }

    public boolean isUnreachable() {
        return isUnreachable;
    }
}
