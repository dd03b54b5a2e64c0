package io.anneal.migrate.bulk;

import java.io.IOException;

/** Some ranges failed as often as they were tried. What was done is kept; the next run goes on with what is left. */
public final class BulkFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    BulkFailedException(String message, Exception cause) {
        super(message, cause);
    }
}
