package io.anneal.cli.command;

import java.io.IOException;

/** What a command prints is lost: nobody reads it any more, or it has no room. */
public final class OutputException extends IOException {
    private static final long serialVersionUID = 1;

    private final boolean isClosedPipe;

    OutputException(String message, boolean isClosedPipe, IOException cause) {
        super(message, cause);
        this.isClosedPipe = isClosedPipe;
    }

    /** Whether the reader has ended, as {@code head} does, which is no error. */
    public boolean isClosedPipe() {
        return isClosedPipe;
    }
}
