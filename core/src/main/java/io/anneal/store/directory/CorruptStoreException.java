package io.anneal.store.directory;

import java.io.IOException;
import java.nio.file.Path;

/** A store's own file is wrong, so that nobody knows what the directory is. */
public final class CorruptStoreException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;

    CorruptStoreException(Path file, String reason) {
        super(reason + ", file=" + file);
        this.file = file;
    }

    public Path file() {
        return file;
    }
}
