package io.anneal.migrate.bulk;

/** A run that must not begin or go on: the phase is not the one for it, or its checkpoint belongs to another. Says what to do. */
public final class BulkRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    BulkRefusedException(String message) {
        super(message);
    }
}
