package io.anneal.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** One process at a time has a store open: {@link DirectoryLock} of {@code LOCK}. */
public final class StoreLock {
    static final String FILE = "LOCK";

    private StoreLock() {}

    /**
     * Creates the store's directory when it is not there and takes it.
     *
     * @throws IllegalStateException when somebody has it: names the directory and the owner's process
     */
    static DirectoryLock take(Path store, Instant since) throws IOException {
        return DirectoryLock.take(store, FILE, "store", Optional.of(since));
    }

    /** Who has the store open now, in words: pid, host and since when; empty when nobody does. Changes nothing. */
    public static Optional<String> owner(Path store) throws IOException {
        return DirectoryLock.owner(store, FILE);
    }
}
