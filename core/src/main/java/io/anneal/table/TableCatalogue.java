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
                if (TableDirectoryName.of(directory).isPresent() && !holdsSnapshotsOnly(directory)) {
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

    /** Whether it is what a table left that was dropped; of what is no directory at all, too. */
    static boolean holdsSnapshotsOnly(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        return Directories.list(directory).stream()
                .allMatch(entry -> entry.getFileName().toString().equals(SNAPSHOTS));
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
                }
            }
            Directories.sync(keyspace);
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
        Path snapshots = remainder.resolve(SNAPSHOTS);
        if (Files.isDirectory(snapshots) && !Directories.list(snapshots).isEmpty()) {
            String prefixed = remainder.getFileName().toString();
            String name = prefixed.substring((prefixed.startsWith(MAKING) ? MAKING : DROPPED).length());
            Path kept = remainder.resolveSibling(name).resolve(SNAPSHOTS);
            Directories.create(kept);
            for (Path snapshot : Directories.list(snapshots)) {
                String own = snapshot.getFileName().toString();
                if (!own.startsWith(MAKING)) {
                    Directories.rename(snapshot, free(kept, own));
                }
            }
            Directories.sync(kept);
        }
        Directories.deleteTree(remainder);
        Directories.sync(remainder.getParent());
    }

    private static Path free(Path directory, String name) {
        Path free = directory.resolve(name);
        for (int number = 2; Files.exists(free); number++) {
            free = directory.resolve(name + "-" + number);
        }
        return free;
    }
}
