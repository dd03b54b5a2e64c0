package io.anneal.migrate.bulk;

import io.anneal.io.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Stands where the new form of a file is to be written, so that it can't be replaced, as on a full disk. */
final class Obstacle {
    private final Path place;
    private final Path content;

    Obstacle(Path file) {
        place = AtomicFile.temporary(file);
        content = place.resolve("content");
    }

    void place() {
        try {
            Files.createDirectories(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void remove() {
        try {
            Files.deleteIfExists(content);
            Files.deleteIfExists(place);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
