package io.anneal.io;

import java.io.IOException;
import java.nio.file.Path;

/** The disk failed to take or give bytes: full, read-only, gone. Names the file and what to look at. */
public final class StorageException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;

    /** @param action what was tried, as {@code write} or {@code rename} */
    public StorageException(String action, Path file, IOException cause) {
        super(
                "storage failed, check free space, permissions and the disk's health, action=" + action + ", file="
                        + file + ", reason=" + cause.getMessage(),
                cause);
        this.file = file;
    }

    public Path file() {
        return file;
    }
}
