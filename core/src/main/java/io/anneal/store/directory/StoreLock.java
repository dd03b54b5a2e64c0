package io.anneal.store.directory;

import io.anneal.io.DirectoryLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * One process at a time has a store open: {@link DirectoryLock} of {@code LOCK}, and of a second file beside the commit log. A
 * lock belongs to a file, not to its name: if somebody removes {@code LOCK} under the owner, the next process makes another
 * and locks that, but not the second one.
 */
public final class StoreLock {
    static final String FILE = "LOCK";

    private StoreLock() {}

    /**
     * Creates the store's directory when it is not there and takes it.
     *
     * @throws IllegalStateException when somebody has it: names the directory and the owner's process
     */
    public static Closeable take(Path store, Instant since) throws IOException {
        DirectoryLock outer = DirectoryLock.take(store, FILE, "store", Optional.of(since));
        boolean taken = false;
        try {
            DirectoryLock inner = DirectoryLock.take(
                    StoreDirectory.commitLog(store),
                    FILE,
                    "store, whose file LOCK somebody removed,",
                    Optional.of(since));
            taken = true;
            return () -> {
                try (outer) {
                    inner.close();
                }
            };
        } finally {
            if (!taken) {
                outer.close();
            }
        }
    }

    /** Who has the store open now, in words: pid, host and since when; empty when nobody does. Changes nothing. */
    public static Optional<String> owner(Path store) throws IOException {
        Optional<String> owner = DirectoryLock.owner(store, FILE);
        Path commitLog = StoreDirectory.commitLog(store);
        return owner.isPresent() || !Files.isDirectory(commitLog) ? owner : DirectoryLock.owner(commitLog, FILE);
    }
}
