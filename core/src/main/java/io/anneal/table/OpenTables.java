package io.anneal.table;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.memtable.MemtablePool;
import io.anneal.metrics.StoreMetrics;
import io.anneal.schema.SystemKeyspaces;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of an open store by id: those that are open, and those that could not be opened and are set apart. Any thread. */
final class OpenTables {
    private static final Logger LOG = LoggerFactory.getLogger(OpenTables.class);

    private final Path data;
    private final SSTableVersion version;
    private final ShardRule shards;
    private final SSTableFormats formats;
    private final MemtablePool pool;
    private final MemoryGate gate;
    private final StoreMetrics metrics;
    private final OpenCursors cursors;
    private final LongSupplier nanoTime;
    private final Compactions compactions;
    private final Executor care;
    private final FailureNotices notices;
    private final Map<UUID, LiveTable> live = new ConcurrentHashMap<>();
    /** The same by their names. */
    private final Map<String, LiveTable> byName = new ConcurrentHashMap<>();

    private final Map<UUID, UnreadableTable> unreadable = new ConcurrentHashMap<>();

    /**
     * @param data the directory of keyspaces
     * @param care closes and deletes SSTables that nobody holds any more
     */
    OpenTables(
            Path data,
            SSTableVersion version,
            ShardRule shards,
            SSTableFormats formats,
            MemtablePool pool,
            MemoryGate gate,
            StoreMetrics metrics,
            OpenCursors cursors,
            LongSupplier nanoTime,
            Compactions compactions,
            Executor care,
            FailureNotices notices) {
        this.data = data;
        this.version = version;
        this.shards = shards;
        this.formats = formats;
        this.pool = pool;
        this.gate = gate;
        this.metrics = metrics;
        this.cursors = cursors;
        this.nanoTime = nanoTime;
        this.compactions = compactions;
        this.care = care;
        this.notices = notices;
    }

    /** Seen by others as they change. */
    Map<UUID, LiveTable> live() {
        return live;
    }

    Optional<LiveTable> named(String qualifiedName) {
        return Optional.ofNullable(byName.get(qualifiedName));
    }

    /** Seen by others as they change. */
    Map<UUID, UnreadableTable> unreadable() {
        return unreadable;
    }

    /** Opens what can be opened and sets the others apart. */
    void openAll(Absence absence) throws IOException {
        for (Path tableDirectory : TableCatalogue.list(data)) {
            try {
                open(tableDirectory, absence);
            } catch (StorageException e) {
                // The disk's failure is no table's.
                throw e;
            } catch (IOException | RuntimeException e) {
                UnreadableTable apart = UnreadableTable.of(tableDirectory, e);
                unreadable.put(apart.id(), apart);
                LOG.error(
                        "table cannot be opened and is set apart, its part of the commit log is kept: mend it and open the"
                                + " store again, or drop it, table={}, directory={}",
                        apart.qualifiedName(),
                        tableDirectory,
                        e);
                notices.tableUnreadable(apart);
            }
        }
    }

    /** Touches no file of the table before all of it is found right. */
    private void open(Path tableDirectory, Absence absence) throws IOException {
        TableDirectory found = TableDirectory.read(tableDirectory, formats, OutputFile.CREATE_NEW);
        SystemKeyspaces.refuse(found.schema());
        formats.requireWritable(found.schema().options());
        CompactionStrategy.of(found.schema());
        LiveTable table = add(found);
        boolean opened = false;
        try {
            table.openSSTables();
            absence.note(found);
            found.sweep(absence.now());
            opened = true;
        } finally {
            if (!opened) {
                forget(table);
                table.close();
            }
        }
    }

    /** Takes a table up whose SSTables are opened afterwards, or that has none. */
    LiveTable add(TableDirectory tableDirectory) {
        LiveTable table = new LiveTable(
                tableDirectory,
                version,
                shards,
                pool,
                gate,
                metrics.addTable(tableDirectory.schema().qualifiedName(), shards.shardCount()),
                cursors,
                nanoTime,
                sstable -> dispose(tableDirectory, sstable),
                notices);
        table.metrics().pending(() -> compactions.pendingCount(table), () -> compactions.pendingBytes(table));
        live.put(table.id(), table);
        // A directory that somebody copied there may have the name, too.
        byName.putIfAbsent(table.schema().qualifiedName(), table);
        return table;
    }

    /** A table that is dropped, or could not be opened. */
    void forget(LiveTable table) {
        live.remove(table.id());
        String name = table.schema().qualifiedName();
        byName.remove(name, table);
        live.values().stream()
                .filter(other -> other.schema().qualifiedName().equals(name))
                .forEach(other -> byName.putIfAbsent(name, other));
        metrics.removeTable(table.metrics());
    }

    /** Nobody holds the SSTable any more. */
    private void dispose(TableDirectory tableDirectory, LiveSSTable sstable) {
        try {
            care.execute(() -> close(tableDirectory, sstable));
        } catch (RejectedExecutionException e) {
            // A cursor was closed behind the store; what is obsolete goes at the next start.
            close(sstable);
        }
    }

    private static void close(TableDirectory tableDirectory, LiveSSTable sstable) {
        close(sstable);
        if (sstable.isObsolete()) {
            try {
                tableDirectory.delete(sstable.descriptor());
            } catch (IOException e) {
                LOG.warn("SSTable could not be deleted, the next start does it, sstable={}", sstable, e);
            }
        }
    }

    private static void close(LiveSSTable sstable) {
        try {
            sstable.reader().close();
        } catch (IOException e) {
            LOG.warn("SSTable could not be closed, sstable={}", sstable, e);
        }
    }

    /** Tables are told apart by it in the commit log. */
    void requireNewId(TableSchema schema) {
        for (LiveTable table : live.values()) {
            if (table.schema().id().equals(schema.id())) {
                throw new IllegalStateException("another table has the id, table=" + schema.qualifiedName() + ", id="
                        + schema.id().orElse("") + ", other="
                        + table.schema().qualifiedName());
            }
        }
        for (UnreadableTable table : unreadable.values()) {
            if (schema.id().equals(Optional.of(table.id().toString()))) {
                throw new IllegalStateException("a table that cannot be opened has the id, table="
                        + schema.qualifiedName() + ", id=" + table.id() + ", other=" + table.qualifiedName());
            }
        }
    }
}
