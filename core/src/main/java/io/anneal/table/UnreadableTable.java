package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * A table that could not be opened with its store: set apart, its files as they are, its part of the commit log kept, until
 * somebody mends it or drops it. Immutable.
 *
 * @param reason why it could not be opened
 * @param manifest empty when that cannot be read
 */
record UnreadableTable(
        Path directory, String qualifiedName, UUID id, Exception reason, Optional<ManifestContent> manifest) {
    /** @param directory one that {@link TableCatalogue#list} gave */
    static UnreadableTable of(Path directory, Exception reason) {
        TableDirectoryName name = TableDirectoryName.of(directory).orElseThrow();
        Optional<ManifestContent> manifest;
        try {
            manifest = Optional.of(Manifest.read(directory))
                    .filter(content -> content.tableId().equals(name.id()));
        } catch (IOException e) {
            manifest = Optional.empty();
        }
        String qualifiedName = directory.getParent().getFileName() + "." + name.table();
        return new UnreadableTable(directory, qualifiedName, name.id(), reason, manifest);
    }

    /** Whether the commit log may have for the token, up to the position, what no SSTable has. */
    boolean needs(CommitLogPosition position, long token) {
        return manifest.map(content -> !content.isFlushed(position, token)).orElse(true);
    }
}
