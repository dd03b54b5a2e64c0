package io.anneal.schema;

/** Text that is no schema, or a schema that contradicts itself. Says where and why. */
public final class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SchemaException(String message) {
        super(message);
    }

    SchemaException(String resourceName, int line, int column, String reason) {
        super(resourceName + ":" + line + ":" + column + ": " + reason);
    }
}
