package io.anneal.migrate.bulk;

import io.anneal.job.JobRefusedException;

/** A run that must not start or go on, since the two sides do not fit or the phase is not the one for it. Says what to do. */
public final class BulkRefusedException extends JobRefusedException {
    private static final long serialVersionUID = 1L;

    BulkRefusedException(String message) {
        super(message);
    }
}
