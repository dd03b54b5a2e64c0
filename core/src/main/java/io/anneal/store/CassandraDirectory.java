package io.anneal.store;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables under directories of Cassandra's: each a data directory ({@code <keyspace>/<table>-<id>/}), a keyspace's, a
 * table's, or a snapshot ({@code <table>-<id>/snapshots/<tag>/}); several make one node with several disks. A store, which
 * lays its data out so, is read by its manifests. Backups, snapshots inside a table's directory and secondary indexes are no part of a table. Only ever read; immutable.
 */
public final class CassandraDirectory {
    static final String SCHEMA_KEYSPACE = "system_schema";
    /** Levels of directories below a data directory. */
    private static final int KEYSPACES_AND_TABLES = 2;

    private static final Pattern TABLE_DIRECTORY = Pattern.compile("(\\w+)-([0-9a-f]{32})");

    private final List<Path> given;
    private final List<TableDirectories> tables;

    private CassandraDirectory(List<Path> given, List<TableDirectories> tables) {
        this.given = given;
        this.tables = List.copyOf(tables);
    }

    public static CassandraDirectory of(Path... directories) throws IOException {
        return of(List.of(directories));
    }

    public static CassandraDirectory of(List<Path> directories) throws IOException {
        try {
            return find(directories);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static CassandraDirectory find(List<Path> directories) throws IOException {
        Map<TableDirectories, List<Path>> grouped = new LinkedHashMap<>();
        for (Path directory : directories) {
            for (Path tableDirectory : tableDirectories(directory.toRealPath())) {
                List<Path> known = grouped.computeIfAbsent(nameOf(tableDirectory), name -> new ArrayList<>());
                if (!known.contains(tableDirectory)) {
                    known.add(tableDirectory);
                }
            }
        }
        List<TableDirectories> tables = new ArrayList<>();
        grouped.forEach(
                (name, found) -> tables.add(new TableDirectories(name.keyspace(), name.table(), name.id(), found)));
        return new CassandraDirectory(List.copyOf(directories), tables);
    }

    /** Every table found; one that was dropped and made again stands here twice, under different ids. */
    public List<TableDirectories> tables() {
        return tables;
    }

    /**
     * The one table of a name.
     *
     * @throws NoSuchFileException when there is none
     * @throws AmbiguousTableException when SSTables lie under several ids of it
     */
    public TableDirectories table(String keyspace, String table) throws IOException {
        return onlyOne(
                tables.stream()
                        .filter(t -> t.keyspace().equals(keyspace) && t.table().equals(table))
                        .toList(),
                keyspace + "." + table);
    }

    /**
     * The table, when the directories hold but one.
     *
     * @throws NoSuchFileException when there is none
     * @throws AmbiguousTableException when there are several
     */
    public TableDirectories onlyTable() throws IOException {
        return onlyOne(tables, "any");
    }

    private TableDirectories onlyOne(List<TableDirectories> candidates, String wanted) throws IOException {
        if (candidates.isEmpty()) {
            throw new NoSuchFileException(given.toString(), null, "no such table here, table=" + wanted);
        }
        List<TableDirectories> filled = new ArrayList<>();
        for (TableDirectories candidate : candidates) {
            if (candidate.holdsSSTables()) {
                filled.add(candidate);
            }
        }
        // A dropped table leaves a directory with nothing but snapshots in it.
        List<TableDirectories> remaining = filled.isEmpty() ? candidates : filled;
        if (remaining.size() > 1) {
            String found = remaining.stream()
                    .map(t -> t.qualifiedName() + " in " + t.directories())
                    .collect(Collectors.joining("; "));
            throw new AmbiguousTableException(
                    "several tables are here: name the table, or give the table's own directory, found=" + found);
        }
        return remaining.get(0);
    }

    private static List<Path> tableDirectories(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        if (directory.getFileName() != null
                && directory.getFileName().toString().equals(TableDirectories.SNAPSHOTS)) {
            throw new AmbiguousTableException("give one of the snapshots, directory=" + directory + ", snapshots="
                    + subdirectories(directory).stream().map(Path::getFileName).toList());
        }
        if (StoreDirectory.isStore(directory)) {
            return StoreDirectory.of(directory).tables();
        }
        return tablesIn(directory, KEYSPACES_AND_TABLES);
    }

    /** A schema text alone stands for an empty table, unless tables lie below it: then it is somebody's description of them. */
    private static List<Path> tablesIn(Path directory, int levelsBelow) throws IOException {
        if (holdsTable(directory)) {
            return List.of(directory);
        }
        List<Path> found = new ArrayList<>();
        if (levelsBelow > 0) {
            for (Path child : subdirectories(directory)) {
                found.addAll(tablesIn(child, levelsBelow - 1));
            }
        }
        return found.isEmpty() && isSchemaOfOneTable(directory.resolve(TableDirectories.SCHEMA_FILE))
                ? List.of(directory)
                : found;
    }

    private static List<Path> subdirectories(Path directory) throws IOException {
        return TableDirectories.list(directory).stream()
                .filter(Files::isDirectory)
                .filter(d -> !d.getFileName().toString().startsWith("."))
                .toList();
    }

    private static boolean holdsTable(Path directory) throws IOException {
        // Of a snapshot on several disks one directory may have nothing but the manifest.
        Path name = TableDirectories.withoutSnapshot(directory).getFileName();
        if (name != null && TABLE_DIRECTORY.matcher(name.toString()).matches()) {
            return true;
        }
        return TableDirectories.list(directory).stream()
                .anyMatch(file -> Descriptor.of(file).isPresent() || TransactionLog.isLog(file));
    }

    private static boolean isSchemaOfOneTable(Path file) {
        return describedTable(file).isPresent();
    }

    /**
     * Names by where the directory lies; outside Cassandra's layout, or where only the table's own directory was copied, by
     * its schema text.
     */
    private static TableDirectories nameOf(Path directory) throws IOException {
        Path table = TableDirectories.withoutSnapshot(directory);
        Path keyspace = table.getParent();
        String keyspaceName = keyspace == null || keyspace.getFileName() == null
                ? ""
                : keyspace.getFileName().toString();
        String tableName =
                table.getFileName() == null ? "" : table.getFileName().toString();
        Matcher matcher = TABLE_DIRECTORY.matcher(tableName);
        if (matcher.matches()) {
            TableDirectories placed = new TableDirectories(
                    keyspaceName, matcher.group(1), Optional.of(matcher.group(2)), List.of(directory));
            return new TableDirectories(ownKeyspace(placed), placed.table(), placed.id(), List.of());
        }
        Optional<TableSchema> described = describedTable(directory.resolve(TableDirectories.SCHEMA_FILE));
        return new TableDirectories(
                described.map(TableSchema::keyspace).orElse(keyspaceName),
                described.map(TableSchema::name).orElse(tableName),
                described.flatMap(TableDirectories::id),
                List.of());
    }

    /**
     * A node's keyspaces lie beside that of its schema. Anywhere else the name of the directory above may mean nothing, and
     * the text of the table counts, unless it is of another table, as in files that were restored under another name.
     */
    private static String ownKeyspace(TableDirectories placed) throws IOException {
        Path directory = placed.directories().get(0);
        Path keyspace = TableDirectories.withoutSnapshot(directory).getParent();
        Optional<Path> text = placed.schemaFile();
        if (text.isEmpty() || Files.isDirectory(keyspace.resolveSibling(SCHEMA_KEYSPACE))) {
            return placed.keyspace();
        }
        return describedTable(text.get())
                .filter(described -> described.name().equals(placed.table()))
                .filter(described -> TableDirectories.id(described).equals(placed.id())
                        || TableDirectories.id(described).isEmpty())
                .map(TableSchema::keyspace)
                .orElse(placed.keyspace());
    }

    private static Optional<TableSchema> describedTable(Path schemaFile) {
        try {
            if (!Files.isRegularFile(schemaFile)) {
                return Optional.empty();
            }
            Collection<TableSchema> tables = CqlSchema.parse(Files.readString(schemaFile), schemaFile.toString())
                    .tables();
            return tables.size() == 1 ? Optional.of(tables.iterator().next()) : Optional.empty();
        } catch (SchemaException e) {
            // Only a name is wanted here; whoever needs the schema parses it again and reports what is wrong.
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
