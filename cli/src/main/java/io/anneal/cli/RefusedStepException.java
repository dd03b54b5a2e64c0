package io.anneal.cli;

/** A step of a migration that is refused as things stand; not an error of whoever asked for it. */
final class RefusedStepException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedStepException(String message) {
        super(message);
    }
}
