package io.anneal.schema;

/** Text that is no schema, or a schema that contradicts itself. Says where and why. */
public final class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean placed;

    public SchemaException(String message) {
        super(message);
        placed = false;
    }

    SchemaException(String resourceName, int line, int column, String reason) {
        super(resourceName + ":" + line + ":" + column + ": " + reason);
        placed = true;
    }

    /** Whether the message begins with the place in a text. */
    boolean isPlaced() {
        return placed;
    }
}
