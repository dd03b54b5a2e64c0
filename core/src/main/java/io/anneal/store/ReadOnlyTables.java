package io.anneal.store;

import io.anneal.table.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tables under Cassandra's directories, or snapshots, each opened when it is first asked for, so that one that is damaged
 * keeps nobody from the others. Nothing is written. Any thread.
 */
final class ReadOnlyTables implements Closeable {
    private final CassandraDirectory directory;
    private final Map<String, SSTables> opened = new HashMap<>();
    private boolean closed;

    private ReadOnlyTables(CassandraDirectory directory) {
        this.directory = directory;
    }

    /**
     * Finds the tables.
     *
     * @throws IllegalArgumentException when a directory is a store's own: what its SSTables are only the open store knows
     */
    static ReadOnlyTables open(Path... directories) throws IOException {
        CassandraDirectory found = CassandraDirectory.of(directories);
        for (TableDirectories table : found.tables()) {
            for (Path tableDirectory : table.directories()) {
                if (Files.exists(tableDirectory.resolve(Manifest.FILE))) {
                    throw new IllegalArgumentException(
                            "directory is that of a store: open the store, or a snapshot of it, directory="
                                    + tableDirectory);
                }
            }
        }
        return new ReadOnlyTables(found);
    }

    /** Names of the tables, {@code keyspace.table}, in order. */
    List<String> names() {
        return directory.tables().stream()
                .map(TableDirectories::qualifiedName)
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * The table of a name, if there is one.
     *
     * @throws AmbiguousTableException when SSTables lie under several ids of it
     * @throws io.anneal.sstable.CorruptSSTableException when its small components are wrong
     * @throws io.anneal.schema.SchemaException when its schema text is wrong
     */
    synchronized Optional<SSTables> find(String qualifiedName) throws IOException {
        if (closed) {
            throw new IllegalStateException("store is closed, table=" + qualifiedName);
        }
        SSTables known = opened.get(qualifiedName);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<TableDirectories> named = directory.tables().stream()
                .filter(table -> table.qualifiedName().equals(qualifiedName))
                .findFirst();
        if (named.isEmpty()) {
            return Optional.empty();
        }
        TableDirectories table =
                directory.table(named.get().keyspace(), named.get().table());
        SSTables sstables = SSTables.open(TableSource.of(table, Optional.empty()));
        opened.put(qualifiedName, sstables);
        return Optional.of(sstables);
    }

    /** Closes what was opened; cursors are closed before. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        IOException failure = null;
        for (SSTables sstables : new ArrayList<>(opened.values())) {
            try {
                sstables.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        opened.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
