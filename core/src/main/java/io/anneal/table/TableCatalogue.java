package io.anneal.table;

import io.anneal.io.Directories;
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
                    Directories.deleteTree(directory);
                } else if (name.startsWith(DROPPED)) {
                    LOG.info("table was dropped, remainder is deleted, directory={}", directory);
                    removeDropped(directory);
                }
            }
            Directories.sync(keyspace);
        }
    }

    /** Snapshots outlive their table: they move back to where they were before the rest is deleted. */
    static void removeDropped(Path dropped) throws IOException {
        Path snapshots = dropped.resolve(SNAPSHOTS);
        if (Files.isDirectory(snapshots) && !Directories.list(snapshots).isEmpty()) {
            String name = dropped.getFileName().toString().substring(DROPPED.length());
            Path kept = dropped.resolveSibling(name);
            Directories.create(kept);
            Directories.rename(snapshots, kept.resolve(SNAPSHOTS));
            Directories.sync(kept);
        }
        Directories.deleteTree(dropped);
        Directories.sync(dropped.getParent());
    }
}
