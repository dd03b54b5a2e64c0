package io.anneal.job;

import java.nio.file.Path;

/** A checkpoint can't be gone on with, now or later: without its file the job starts anew. */
public final class CheckpointRefusedException extends JobRefusedException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;

    public CheckpointRefusedException(String message, Path file) {
        super(message);
        this.file = file;
    }

    /** What stands in the way. */
    public Path file() {
        return file;
    }
}
