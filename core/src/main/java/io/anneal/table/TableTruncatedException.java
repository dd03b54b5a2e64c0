package io.anneal.table;

/** Raised when rows were received for a table that has been truncated since: what it held may be among them. Begin again. */
public final class TableTruncatedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public TableTruncatedException(String message) {
        super(message);
    }
}
