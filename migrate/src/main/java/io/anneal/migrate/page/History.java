package io.anneal.migrate.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.io.DirectoryLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Where a page's rings are: in memory, or in a directory, so that the next page goes on where this one ended. */
final class History implements AutoCloseable {
    private final Path directory;
    private final ObjectMapper json;
    private final DirectoryLock lock;

    /**
     * @param parent holds a directory for each migration; empty for memory alone
     * @throws IllegalStateException if another page writes there
     * @throws UncheckedIOException if nobody can
     */
    History(Optional<Path> parent, String migration, ObjectMapper json) {
        this.json = json;
        if (parent.isEmpty()) {
            directory = null;
            lock = null;
            return;
        }
        // Never "." or "..", whatever the migration is called.
        directory = parent.get().resolve("page-" + URLEncoder.encode(migration, StandardCharsets.UTF_8));
        try {
            lock = DirectoryLock.take(directory, "lock", "history of a page", Optional.empty());
        } catch (IllegalStateException inUse) {
            throw new IllegalStateException("another page keeps its history there, directory=" + directory, inUse);
        } catch (IOException e) {
            throw new UncheckedIOException("the page's history can't be kept, directory=" + directory, e);
        }
    }

    <T> Ring<T> ring(String name, int sizeMax, Class<T> type) {
        return new Ring<>(sizeMax, directory == null ? null : directory.resolve(name + ".jsonl"), json, type);
    }

    boolean lasts() {
        return directory != null;
    }

    @Override
    public void close() {
        if (lock != null) {
            try {
                lock.close();
            } catch (IOException e) {
                throw new UncheckedIOException("the page's history can't be given back, directory=" + directory, e);
            }
        }
    }
}
