package io.anneal.job;

import java.util.concurrent.CancellationException;

/** Somebody aborted the job, see {@link JobControl#abort}. What was recorded stays; the next run goes on from there. */
public final class JobAbortedException extends CancellationException {
    private static final long serialVersionUID = 1L;

    JobAbortedException(String reason) {
        super("job was aborted, reason=" + reason);
    }
}
