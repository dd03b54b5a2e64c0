package io.anneal.migrate.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Where a page's rings are: in memory, or in a directory, so that the next page goes on where this one ended. */
final class History implements AutoCloseable {
    private final Path directory;
    private final ObjectMapper json;
    private final FileChannel lock;

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
            Files.createDirectories(directory);
            lock = lock(directory.resolve("lock"));
        } catch (IOException e) {
            throw new UncheckedIOException("the page's history can't be kept, directory=" + directory, e);
        }
    }

    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!locked(channel)) {
            channel.close();
            throw new IllegalStateException("another page keeps its history there, directory=" + file.getParent());
        }
        return channel;
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
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
