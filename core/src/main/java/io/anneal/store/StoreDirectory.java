package io.anneal.store;

import io.anneal.table.Manifest;
import io.anneal.table.TableCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where things are in a store's directory, for those who look at it without opening it. Changes nothing. While a process has
 * the store open, what is found may be gone the next moment.
 *
 * <pre>
 *   LOCK          who has the store open
 *   STORE         what never changes
 *   commitlog/    segments of the commit log
 *   data/         &lt;keyspace&gt;/&lt;table&gt;-&lt;id&gt;/
 * </pre>
 *
 * @param file what never changes
 */
public record StoreDirectory(Path directory, StoreFile file) {
    private static final String DATA = "data";
    private static final String COMMIT_LOG = "commitlog";

    /**
     * @throws NoSuchFileException when the directory is not there, or no store
     * @throws CorruptStoreException when its file is wrong
     */
    public static StoreDirectory of(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        StoreFile file = StoreFile.read(directory)
                .orElseThrow(() -> new NoSuchFileException(
                        directory.toString(), null, "directory is no store: it has no file STORE"));
        return new StoreDirectory(directory, file);
    }

    public Path data() {
        return directory.resolve(DATA);
    }

    public Path commitLog() {
        return directory.resolve(COMMIT_LOG);
    }

    /** The directories of all tables. */
    public List<Path> tables() throws IOException {
        return TableCatalogue.list(data());
    }

    /** Who has the store open, in words; empty when nobody has. */
    public Optional<String> owner() throws IOException {
        return StoreLock.owner(directory);
    }

    /** With how many shards the store was open last; empty when it has no table that would tell. */
    public OptionalInt shardCount() throws IOException {
        List<Path> tables = tables();
        return tables.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(Manifest.read(tables.get(0)).shards().shardCount());
    }
}
