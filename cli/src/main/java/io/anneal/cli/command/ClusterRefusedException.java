package io.anneal.cli.command;

import java.io.IOException;

/** What was asked for can't be repaired among the nodes of a cluster, as the ring stands; nothing is held for it. */
public final class ClusterRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String advice;

    /** @param advice what a user can do */
    public ClusterRefusedException(String message, String advice) {
        super(message);
        this.advice = advice;
    }

    String advice() {
        return advice;
    }
}
