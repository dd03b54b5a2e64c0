package io.anneal.sstable;

import java.io.IOException;
import java.nio.file.Path;

/** Bytes of an SSTable that are wrong: which file, where, why. */
public final class CorruptSSTableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** {@link #position()} when the whole file is meant. */
    public static final long NO_POSITION = -1;

    private final transient Path file;
    private final long position;

    public CorruptSSTableException(Path file, long position, String reason) {
        this(file, position, reason, null);
    }

    public CorruptSSTableException(Path file, long position, String reason, Throwable cause) {
        super(reason + ", file=" + file + (position == NO_POSITION ? "" : ", position=" + position), cause);
        this.file = file;
        this.position = position;
    }

    public Path file() {
        return file;
    }

    public long position() {
        return position;
    }
}
