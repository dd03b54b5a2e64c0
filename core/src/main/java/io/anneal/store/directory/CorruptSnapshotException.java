package io.anneal.store.directory;

import java.io.IOException;
import java.nio.file.Path;

/** A snapshot is not what was taken: its {@code manifest.json} cannot be read, or an SSTable that it lists is not there. */
public final class CorruptSnapshotException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Path manifest;

    CorruptSnapshotException(Path manifest, String reason, Throwable cause) {
        super(reason + ", file=" + manifest, cause);
        this.manifest = manifest;
    }

    public Path manifest() {
        return manifest;
    }
}
