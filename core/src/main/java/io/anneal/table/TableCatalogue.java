package io.anneal.table;

import io.anneal.io.Directories;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of a store: {@code <data>/<keyspace>/<table>-<id>/}. The catalogue is the set of these directories. */
public final class TableCatalogue {
    /** Begins the name of a directory whose table is not there yet. */
    static final String MAKING = ".making-";
    /** Begins the name of a directory whose table is there no more. */
    static final String DROPPED = ".dropped-";

    static final String SNAPSHOTS = "snapshots";

    /** What common file systems take for a name. */
    static final int FILE_NAME_LENGTH_MAX = 255;

    /** A longer name leaves no room for the id, and for what stands before both while the table is dropped. */
    public static final int TABLE_NAME_LENGTH_MAX =
            FILE_NAME_LENGTH_MAX - DROPPED.length() - TableDirectoryName.ID_SUFFIX_LENGTH;

    private static final Logger LOG = LoggerFactory.getLogger(TableCatalogue.class);

    private TableCatalogue() {}

    /**
     * The directories of all tables, sorted; what is left of dropped ones are their snapshots, and no table. Changes nothing.
     *
     * @param data may be missing
     */
    public static List<Path> list(Path data) throws IOException {
        List<Path> tables = new ArrayList<>();
        for (Path keyspace : keyspaces(data)) {
            for (Path directory : Directories.list(keyspace)) {
                if (TableDirectoryName.of(directory).isPresent()
                        && Files.isDirectory(directory)
                        && !isDropped(directory)) {
                    tables.add(directory);
                }
            }
        }
        return tables;
    }

    static List<Path> keyspaces(Path data) throws IOException {
        return Files.isDirectory(data)
                ? Directories.list(data).stream().filter(Files::isDirectory).toList()
                : List.of();
    }

    /** Whether this is what a table leaves that was dropped: nothing but snapshots, and what it was receiving. */
    static boolean isDropped(Path directory) throws StorageException {
        return Files.isDirectory(directory)
                && Directories.list(directory).stream()
                        .map(entry -> entry.getFileName().toString())
                        .allMatch(name -> name.equals(SNAPSHOTS) || name.equals(TableDirectory.RECEIVING));
    }

    /**
     * Removes what a crash left of tables that were being made or dropped, and forces the names of all others to the disk: a
     * process that was killed may not have. Before any table is opened.
     */
    public static void sweep(Path data) throws IOException {
        if (!Files.isDirectory(data)) {
            return;
        }
        Directories.sync(data.toAbsolutePath().getParent());
        Directories.sync(data);
        for (Path keyspace : keyspaces(data)) {
            for (Path directory : Directories.list(keyspace)) {
                String name = directory.getFileName().toString();
                if (name.startsWith(MAKING)) {
                    LOG.info("table was never made, remainder is deleted, directory={}", directory);
                    removeRemainder(directory);
                } else if (name.startsWith(DROPPED)) {
                    LOG.info("table was dropped, remainder is deleted, directory={}", directory);
                    removeRemainder(directory);
                } else if (TableDirectoryName.of(directory).isPresent() && isDropped(directory)) {
                    removeReceived(directory);
                }
            }
            Directories.sync(keyspace);
        }
    }

    /** Snapshots stay. */
    private static void removeReceived(Path dropped) throws StorageException {
        Path receiving = dropped.resolve(TableDirectory.RECEIVING);
        if (!Files.exists(receiving)) {
            return;
        }
        LOG.info("table was dropped, what it was receiving is deleted, directory={}", dropped);
        Directories.deleteTree(receiving);
        if (Directories.list(dropped).isEmpty()) {
            Directories.deleteFile(dropped);
        }
    }

    /** Where a table's directory goes when it is dropped. */
    static Path dropped(Path table) {
        return table.resolveSibling(DROPPED + table.getFileName());
    }

    /** Where a table's directory is made. */
    static Path making(Path table) {
        return table.resolveSibling(MAKING + table.getFileName());
    }

    /**
     * Deletes what is left of a table that is dropped, or was never made, but for its snapshots: they outlive it, and move back
     * to where they were before the rest is deleted. One whose name is taken there gets a number.
     */
    static void removeRemainder(Path remainder) throws StorageException {
        String prefixed = remainder.getFileName().toString();
        String name = prefixed.substring((prefixed.startsWith(MAKING) ? MAKING : DROPPED).length());
        moveSnapshots(remainder, remainder.resolveSibling(name));
        Directories.deleteTree(remainder);
        Directories.sync(remainder.getParent());
    }

    /** Moves snapshots from one directory of a table to another, and what is left of their directory away. */
    static void moveSnapshots(Path source, Path target) throws StorageException {
        Path snapshots = source.resolve(SNAPSHOTS);
        if (!Files.isDirectory(snapshots)) {
            return;
        }
        Path kept = target.resolve(SNAPSHOTS);
        for (Path snapshot : Directories.list(snapshots)) {
            String name = snapshot.getFileName().toString();
            if (!name.startsWith(MAKING)) {
                Directories.create(kept);
                Directories.rename(snapshot, free(kept, name));
            }
        }
        if (Files.isDirectory(kept)) {
            Directories.sync(kept);
        }
        Directories.deleteTree(snapshots);
    }

    private static Path free(Path directory, String name) {
        Path free = directory.resolve(name);
        for (int number = 2; Files.exists(free); number++) {
            free = directory.resolve(name + "-" + number);
        }
        return free;
    }
}
