package io.anneal.bench.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that closing removes with everything in it. */
public record TemporaryDirectory(Path path) implements Closeable {
    /** Where the system property {@code java.io.tmpdir} says. */
    public static TemporaryDirectory create(String prefix) throws IOException {
        return new TemporaryDirectory(Files.createTempDirectory(prefix));
    }

    /** A new one inside of this one, which may be removed before. */
    public TemporaryDirectory createInside(String prefix) throws IOException {
        return new TemporaryDirectory(Files.createTempDirectory(path, prefix));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
