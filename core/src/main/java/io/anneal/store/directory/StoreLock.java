package io.anneal.store.directory;

import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process at a time has a store open: {@link DirectoryLock} of {@code LOCK}, and of a second file beside the commit log. A
 * lock belongs to a file, not to its name: if somebody removes {@code LOCK} under the owner, the next process makes another
 * and locks that, but not the second one.
 */
public final class StoreLock {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLock.class);

    static final String FILE = "LOCK";

    private StoreLock() {}

    /**
     * Creates the store's directory when it is not there and takes it.
     *
     * @param clock its time is that of {@code STORE} when the store is taken and given up, for {@link #lastOpen}
     * @throws IllegalStateException when somebody has it: names the directory and the owner's process
     */
    public static Closeable take(Path store, InstantSource clock) throws IOException {
        Instant since = clock.instant();
        DirectoryLock outer = DirectoryLock.take(store, FILE, "store", Optional.of(since));
        boolean taken = false;
        try {
            DirectoryLock inner = DirectoryLock.take(
                    StoreDirectory.commitLog(store),
                    FILE,
                    "store, whose file LOCK somebody removed,",
                    Optional.of(since));
            touch(store, since);
            taken = true;
            return () -> {
                try (outer) {
                    touch(store, clock.instant());
                    inner.close();
                }
            };
        } finally {
            if (!taken) {
                outer.close();
            }
        }
    }

    /**
     * A moment at which the store was open, as the times of {@code STORE} and of the commit log tell; empty when there is no store.
     * Changes nothing.
     */
    public static Optional<Instant> lastOpen(Path store) throws IOException {
        List<Path> files = new ArrayList<>(List.of(store.resolve(StoreFile.FILE)));
        Path commitLog = StoreDirectory.commitLog(store);
        if (Files.isDirectory(commitLog)) {
            files.addAll(Directories.list(commitLog));
        }
        Optional<Instant> last = Optional.empty();
        for (Path file : files) {
            try {
                Instant written = Files.getLastModifiedTime(file).toInstant();
                last = last.filter(written::isBefore).or(() -> Optional.of(written));
            } catch (NoSuchFileException gone) {
                LOG.debug("file is not there, file={}", file);
            }
        }
        return last;
    }

    /** Of {@code LOCK} it must not be: who opens and closes it, as this does, loses its lock. */
    private static void touch(Path store, Instant now) {
        try {
            Files.setLastModifiedTime(store.resolve(StoreFile.FILE), FileTime.from(now));
        } catch (IOException e) {
            LOG.debug("store has no new time, store={}", store, e);
        }
    }

    /** Who has the store open now, in words: pid, host and since when; empty when nobody does. Changes nothing. */
    public static Optional<String> owner(Path store) throws IOException {
        Optional<String> owner = DirectoryLock.owner(store, FILE);
        Path commitLog = StoreDirectory.commitLog(store);
        return owner.isPresent() || !Files.isDirectory(commitLog) ? owner : DirectoryLock.owner(commitLog, FILE);
    }
}
