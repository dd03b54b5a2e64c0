package io.anneal.table;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of all tables of a store, of dropped ones too. One of several tables is there for all of them or for none: while
 * it is taken its name stands in a file, and a start that finds the file deletes all of that name. So whoever takes one, of
 * one table or of all, or deletes one synchronizes on this object. Any thread.
 */
public final class StoreSnapshots {
    /**
     * A snapshot of one table.
     *
     * @param table its keyspace, a dot, its name
     * @param tableDirectory which may be that of a dropped table, and hold nothing but snapshots
     */
    public record Entry(String name, String table, Path tableDirectory) {
        /** Where it lies. */
        public Path directory() {
            return tableDirectory.resolve(TableCatalogue.SNAPSHOTS).resolve(name);
        }
    }

    /** Holds the name of a snapshot that is being taken. */
    static final String BEGUN = ".making-snapshot";

    private static final Logger LOG = LoggerFactory.getLogger(StoreSnapshots.class);

    private final Path data;
    private final OutputFile.Opener opener;

    /** @param data the store's directory of keyspaces, which may be missing */
    StoreSnapshots(Path data, OutputFile.Opener opener) {
        this.data = data;
        this.opener = opener;
    }

    /** All, table by table. */
    List<Entry> list() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path directory : tableDirectories()) {
            String table = directory.getParent().getFileName() + "."
                    + TableDirectoryName.of(directory).orElseThrow().table();
            for (String name : new Snapshots(directory, opener).names()) {
                entries.add(new Entry(name, table, directory));
            }
        }
        return entries;
    }

    private List<Path> tableDirectories() throws IOException {
        List<Path> directories = new ArrayList<>();
        for (Path keyspace : TableCatalogue.keyspaces(data)) {
            for (Path directory : Directories.list(keyspace)) {
                if (TableDirectoryName.of(directory).isPresent() && Files.isDirectory(directory)) {
                    directories.add(directory);
                }
            }
        }
        return directories;
    }

    /**
     * Begins a snapshot of several tables, which {@link #end()} or {@link #undo} ends, while the caller holds this object.
     *
     * @throws IllegalStateException when there is a snapshot of this name, of whatever table
     */
    void begin(String name) throws IOException {
        assert Thread.holdsLock(this);
        Snapshots.requireName(name);
        undo();
        for (Entry entry : list()) {
            if (entry.name().equals(name)) {
                throw new IllegalStateException("snapshot exists already, name=" + name + ", table=" + entry.table()
                        + ", directory=" + entry.directory());
            }
        }
        AtomicFile.replace(data.resolve(BEGUN), name.getBytes(StandardCharsets.UTF_8), opener);
    }

    /** It is there for all tables. */
    void end() throws IOException {
        Directories.deleteFile(data.resolve(BEGUN));
        Directories.sync(data);
    }

    /** Deletes what there is of one that was begun and not ended. */
    void undo() throws IOException {
        Path begun = data.resolve(BEGUN);
        if (Files.exists(begun)) {
            String name = Files.readString(begun);
            for (Entry entry : list()) {
                if (entry.name().equals(name)) {
                    LOG.info(
                            "snapshot was not taken of all tables, remainder is deleted, directory={}",
                            entry.directory());
                    delete(entry);
                }
            }
            end();
        }
    }

    /** Deletes it; of a dropped table the last one with the table's directory. */
    void delete(Entry entry) throws IOException {
        assert Thread.holdsLock(this);
        new Snapshots(entry.tableDirectory(), opener).delete(entry.name());
        removeIfEmpty(entry.tableDirectory());
    }

    private static void removeIfEmpty(Path tableDirectory) throws IOException {
        Path snapshots = tableDirectory.resolve(TableCatalogue.SNAPSHOTS);
        if (TableCatalogue.isDropped(tableDirectory)
                && Files.isDirectory(snapshots)
                && Directories.list(snapshots).isEmpty()) {
            Directories.deleteTree(tableDirectory);
            Directories.sync(tableDirectory.getParent());
        }
    }

    /** Deletes what a crash left of snapshots that were being taken or deleted; before any table is opened. */
    synchronized void sweep() throws IOException {
        Directories.deleteFile(AtomicFile.temporary(data.resolve(BEGUN)));
        undo();
        for (Path directory : tableDirectories()) {
            if (TableCatalogue.isDropped(directory)) {
                new Snapshots(directory, opener).sweep();
                removeIfEmpty(directory);
            }
        }
    }
}
