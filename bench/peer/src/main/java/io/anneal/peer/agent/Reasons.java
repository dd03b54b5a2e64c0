package io.anneal.peer.agent;

import java.util.StringJoiner;

/** A failure in one line: the exceptions from the outermost to the cause, each with its message. */
final class Reasons {
    private static final int CAUSES_MAX = 6;

    private Reasons() {}

    static String of(Throwable failure) {
        StringJoiner reasons = new StringJoiner("; caused by ");
        Throwable current = failure;
        for (int i = 0; current != null && i < CAUSES_MAX; i++) {
            reasons.add(current.getClass().getSimpleName() + ": " + current.getMessage());
            current = current.getCause();
        }
        return reasons.toString();
    }
}
