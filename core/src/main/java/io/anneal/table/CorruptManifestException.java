package io.anneal.table;

import java.io.IOException;
import java.nio.file.Path;

/** A table's directory does not say what it holds: its manifest, or a file beside it, is missing or wrong. */
public final class CorruptManifestException extends IOException {
    private static final long serialVersionUID = 1L;

    /** {@link #line()} when the whole file is meant. */
    public static final int NO_LINE = 0;

    private final transient Path file;
    private final int line;

    public CorruptManifestException(Path file, int line, String reason) {
        this(file, line, reason, null);
    }

    public CorruptManifestException(Path file, int line, String reason, Throwable cause) {
        super(reason + ", file=" + file + (line == NO_LINE ? "" : ", line=" + line), cause);
        this.file = file;
        this.line = line;
    }

    public Path file() {
        return file;
    }

    /** From 1 on. */
    public int line() {
        return line;
    }
}
