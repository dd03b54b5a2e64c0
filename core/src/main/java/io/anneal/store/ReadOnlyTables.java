package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import io.anneal.table.ReadCursor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tables under Cassandra's directories, or snapshots, open for reading; one that cannot be opened keeps nobody from the
 * others. Nothing is written. Any thread.
 */
final class ReadOnlyTables implements Closeable {
    private final Map<String, RowSource> readable = new TreeMap<>();
    private final Map<String, Exception> unreadable = new TreeMap<>();
    private final List<SSTables> opened = new ArrayList<>();
    private volatile boolean closed;

    private ReadOnlyTables() {}

    /**
     * Opens all tables that can be opened.
     *
     * @throws java.nio.file.NoSuchFileException when there is nothing of a table and no store: a wrong directory must not look like an empty one
     * @throws IllegalStateException when a directory is that of a store that is open, or has writes that no SSTable has
     */
    static ReadOnlyTables open(List<Path> directories) throws IOException {
        CassandraDirectory directory = CassandraDirectory.of(directories);
        directory.requireTables();
        ReadOnlyTables tables = new ReadOnlyTables();
        boolean complete = false;
        try {
            for (TableDirectories table : directory.tables()) {
                tables.open(directory, table.keyspace(), table.table());
            }
            complete = true;
            return tables;
        } finally {
            if (!complete) {
                tables.close();
            }
        }
    }

    private void open(CassandraDirectory directory, String keyspace, String table) {
        String name = keyspace + "." + table;
        if (readable.containsKey(name) || unreadable.containsKey(name)) {
            // Made, dropped and made again: several directories have the name.
            return;
        }
        try {
            SSTables sstables = SSTables.open(TableSource.of(directory.table(keyspace, table), Optional.empty()));
            opened.add(sstables);
            readable.put(name, new WhileOpen(sstables));
        } catch (IOException | SchemaException | UnsupportedTypeException e) {
            unreadable.put(name, e);
        }
    }

    /** By name, in order. */
    Map<String, RowSource> readable() {
        return Collections.unmodifiableMap(readable);
    }

    /** Why the others cannot be read, by name. */
    Map<String, Exception> unreadable() {
        return Collections.unmodifiableMap(unreadable);
    }

    /** Closes the tables; whoever has a cursor closes that before. */
    @Override
    public void close() throws IOException {
        closed = true;
        IOException failure = new IOException("tables could not be closed");
        for (SSTables sstables : opened) {
            try {
                sstables.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private final class WhileOpen implements RowSource {
        private final SSTables sstables;

        WhileOpen(SSTables sstables) {
            this.sstables = sstables;
        }

        @Override
        public TableSchema schema() {
            return sstables.schema();
        }

        @Override
        public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
            requireOpen();
            return sstables.scan(range, localDeletionTimeMaxSeconds);
        }

        @Override
        public ShardRule shards() {
            return sstables.shards();
        }

        @Override
        public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
            requireOpen();
            return sstables.scan(shard, range, after);
        }

        @Override
        public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
            requireOpen();
            return sstables.read(key, slices, reversed);
        }

        private void requireOpen() {
            if (closed) {
                throw new IllegalStateException("store is closed, table=" + schema().qualifiedName());
            }
        }
    }
}
