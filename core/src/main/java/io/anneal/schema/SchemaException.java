package io.anneal.schema;

/** Text that is no schema, or a schema that contradicts itself. Says where and why. */
public final class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Subject {
        /** A place in the text. */
        TEXT,
        /** The text describes other tables. */
        TABLE,
        /** Something else. */
        SCHEMA
    }

    private final Subject subject;

    public SchemaException(String message) {
        this(message, Subject.SCHEMA);
    }

    private SchemaException(String message, Subject subject) {
        super(message);
        this.subject = subject;
    }

    SchemaException(String resourceName, int line, int column, String reason) {
        this(resourceName + ":" + line + ":" + column + ": " + reason, Subject.TEXT);
    }

    /** Of a text that describes other tables than the wanted one. */
    public static SchemaException ofOtherTables(String message) {
        return new SchemaException(message, Subject.TABLE);
    }

    public Subject subject() {
        return subject;
    }

    /** Whether the message begins with the place in a text. */
    boolean isPlaced() {
        return subject == Subject.TEXT;
    }
}
