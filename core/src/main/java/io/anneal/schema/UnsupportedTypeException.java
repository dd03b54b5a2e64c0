package io.anneal.schema;

/** A type, or a kind of table, that Cassandra knows and this library does not handle. Says which. */
public final class UnsupportedTypeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnsupportedTypeException(String message) {
        super(message);
    }
}
