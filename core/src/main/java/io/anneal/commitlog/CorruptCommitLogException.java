package io.anneal.commitlog;

import java.io.IOException;
import java.nio.file.Path;

/** Bytes of the commit log that were on the disk once and are wrong now: which file, where, why. */
public final class CorruptCommitLogException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final long position;

    public CorruptCommitLogException(Path file, long position, String reason) {
        this(file, position, reason, null);
    }

    CorruptCommitLogException(Path file, long position, String reason, Throwable cause) {
        super("commit log is corrupt, file=" + file + ", position=" + position + ", reason=" + reason, cause);
        this.file = file;
        this.position = position;
    }

    public Path file() {
        return file;
    }

    /** In the file, in bytes. */
    public long position() {
        return position;
    }
}
