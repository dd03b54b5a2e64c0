package io.anneal.cli.command;

import java.io.IOException;

/** A run of a repair that is named can't be gone on with, or is not known; the message says why. */
public final class RunRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RunRefusedException(String message) {
        super(message);
    }
}
