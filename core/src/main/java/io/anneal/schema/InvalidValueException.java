package io.anneal.schema;

/** Bytes that are no value of the type they should be of. */
public final class InvalidValueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidValueException(String message) {
        super(message);
    }
}
