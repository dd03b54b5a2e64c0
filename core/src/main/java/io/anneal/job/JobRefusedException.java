package io.anneal.job;

/**
 * A job must not start or go on: its checkpoint belongs to another, or what it works on is not as it must be. Thrown by a task or a
 * guard it ends the whole job; nothing is tried again. The message says what to do.
 */
public class JobRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public JobRefusedException(String message) {
        super(message);
    }
}
