package io.anneal.cli.command;

import java.io.IOException;
import java.util.Optional;

/** A run of a repair that is named can't be gone on with, or is not known; the message says why. */
public final class RunRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String advice;

    public RunRefusedException(String message) {
        super(message);
        advice = null;
    }

    private RunRefusedException(RunRefusedException refusal, String advice) {
        super(refusal.getMessage(), refusal);
        this.advice = advice;
    }

    /** The same, with the command that shows the runs which the refusing one knows. */
    public RunRefusedException shownBy(String statusCommand) {
        return new RunRefusedException(this, "look at '" + statusCommand + "'");
    }

    Optional<String> advice() {
        return Optional.ofNullable(advice);
    }
}
