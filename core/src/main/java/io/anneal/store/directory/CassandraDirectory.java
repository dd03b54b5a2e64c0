package io.anneal.store.directory;

import io.anneal.io.Directories;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.ViewText;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables under directories of Cassandra's: each a data directory ({@code <keyspace>/<table>-<id>/}), a keyspace's, a
 * table's, or a snapshot ({@code <table>-<id>/snapshots/<tag>/}); several make one node with several disks. A store, which
 * lays its data out so, is read by its manifests, also where a directory of stores is given. Backups, snapshots inside a table's directory and secondary indexes are no
 * part of a table. Only ever read; immutable.
 */
public final class CassandraDirectory {
    /** Holds the schema tables of a node. */
    public static final String SCHEMA_KEYSPACE = "system_schema";
    /** Levels of directories below a data directory. */
    private static final int KEYSPACES_AND_TABLES = 2;

    /** A table's directory: its name, and its id. */
    public static final Pattern TABLE_DIRECTORY = Pattern.compile("(\\w+)-([0-9a-f]{32})");

    private final List<Path> given;
    private final List<Path> found;

    private CassandraDirectory(List<Path> given, List<Path> found) {
        this.given = given;
        this.found = found;
    }

    public static CassandraDirectory of(Path... directories) throws IOException {
        return of(List.of(directories));
    }

    public static CassandraDirectory of(List<Path> directories) throws IOException {
        Set<Path> found = new LinkedHashSet<>();
        for (Path directory : directories) {
            found.addAll(tableDirectories(directory.toRealPath()));
        }
        return new CassandraDirectory(List.copyOf(directories), List.copyOf(found));
    }

    /**
     * Refuses directories that hold nothing of a table and are no store: a wrong directory must not look like an empty one.
     *
     * @throws NoSuchFileException when they are such
     */
    public void requireTables() throws IOException {
        if (found.isEmpty() && !isStoreOrEmpty()) {
            throw new DataNotFoundException(DataNotFoundException.Sought.TABLES, given.toString(), "no table is here");
        }
    }

    private boolean isStoreOrEmpty() throws IOException {
        for (Path directory : given) {
            if (StoreDirectory.ofDirectoryOrData(directory.toRealPath()).isPresent()
                    || Directories.list(directory).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Every table found; one that was dropped and made again stands here twice, under different ids. */
    public List<TableDirectories> tables() throws IOException {
        return named(found);
    }

    /** Naming may read a schema text: only of those that are asked for. */
    private static List<TableDirectories> named(List<Path> tableDirectories) throws IOException {
        Map<TableDirectories, List<Path>> grouped = new LinkedHashMap<>();
        for (Path directory : tableDirectories) {
            grouped.computeIfAbsent(nameOf(directory), name -> new ArrayList<>())
                    .add(directory);
        }
        List<TableDirectories> tables = new ArrayList<>();
        grouped.forEach((name, directories) ->
                tables.add(new TableDirectories(name.keyspace(), name.table(), name.id(), directories)));
        return List.copyOf(tables);
    }

    /** The newest version of SSTables of any table found, of those versions that are written; by the names of files. */
    public Optional<SSTableVersion> newestWrittenVersion() throws IOException {
        List<SSTableVersion> versions = new ArrayList<>();
        for (Path directory : found) {
            Directories.list(directory).stream()
                    .flatMap(file -> Descriptor.of(file).stream())
                    .flatMap(sstable -> SSTableVersion.of(sstable).stream())
                    .filter(SSTableVersion::isWritten)
                    .forEach(versions::add);
        }
        return versions.stream().max(Comparator.naturalOrder());
    }

    /** The newest schema text of each directory found that has one. */
    public List<Path> schemaFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path directory : found) {
            TableDirectories.schemaFile(List.of(directory)).ifPresent(files::add);
        }
        return files;
    }

    /**
     * The one table of a name.
     *
     * @throws NoSuchFileException when there is none
     * @throws AmbiguousTableException when SSTables lie under several ids of it
     */
    public TableDirectories table(String keyspace, String table) throws IOException {
        List<Path> candidates =
                found.stream().filter(directory -> mayBeOf(directory, table)).toList();
        return onlyOne(
                named(candidates).stream()
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
        return onlyOne(tables(), "any");
    }

    private static boolean mayBeOf(Path directory, String table) {
        Matcher placed = placed(directory);
        return !placed.matches() || placed.group(1).equals(table);
    }

    private static Matcher placed(Path directory) {
        Path name = TableDirectories.withoutSnapshot(directory).getFileName();
        return TABLE_DIRECTORY.matcher(name == null ? "" : name.toString());
    }

    private TableDirectories onlyOne(List<TableDirectories> candidates, String wanted) throws IOException {
        if (candidates.isEmpty()) {
            throw new DataNotFoundException(
                    DataNotFoundException.Sought.TABLE, given.toString(), "no such table here, table=" + wanted);
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
        return tablesIn(directory, KEYSPACES_AND_TABLES);
    }

    /** A schema text alone stands for an empty table, unless tables lie below it: then it is somebody's description of them. */
    private static List<Path> tablesIn(Path directory, int levelsBelow) throws IOException {
        Optional<StoreDirectory> store = StoreDirectory.ofDirectoryOrData(directory);
        if (store.isPresent()) {
            // Told here, since it may have no table yet.
            store.get().requireClosed();
            return store.get().tables();
        }
        if (holdsTable(directory)) {
            return List.of(directory);
        }
        List<Path> found = new ArrayList<>();
        if (levelsBelow > 0) {
            for (Path child : subdirectories(directory)) {
                found.addAll(tablesIn(child, levelsBelow - 1));
            }
        }
        return found.isEmpty() && describesTable(directory.resolve(TableDirectories.SCHEMA_FILE))
                ? List.of(directory)
                : found;
    }

    private static List<Path> subdirectories(Path directory) throws IOException {
        return Directories.list(directory).stream()
                .filter(Files::isDirectory)
                .filter(d -> !d.getFileName().toString().startsWith("."))
                .toList();
    }

    private static boolean holdsTable(Path directory) throws IOException {
        // Of a snapshot on several disks one directory may have nothing but the manifest.
        if (placed(directory).matches()) {
            return true;
        }
        // A name that tells no version is too little to take a keyspace's directory for a table's.
        return Directories.list(directory).stream()
                .anyMatch(file -> TransactionLog.isLog(file)
                        || TableDirectories.sstable(file)
                                .filter(sstable -> !sstable.version().isEmpty())
                                .isPresent());
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
        Matcher matcher = placed(directory);
        if (matcher.matches()) {
            TableDirectories placed = new TableDirectories(
                    keyspaceName, matcher.group(1), Optional.of(matcher.group(2)), List.of(directory));
            return new TableDirectories(ownKeyspace(placed), placed.table(), placed.id(), List.of());
        }
        String tableName =
                table.getFileName() == null ? "" : table.getFileName().toString();
        return described(directory.resolve(TableDirectories.SCHEMA_FILE))
                .orElseGet(() -> new TableDirectories(keyspaceName, tableName, Optional.empty(), List.of()));
    }

    /**
     * A node's keyspaces lie beside that of its schema. Anywhere else the name of the directory above may mean nothing, and
     * the text of the table counts, unless it is of another table, as in files that were restored under another name.
     */
    private static String ownKeyspace(TableDirectories placed) throws IOException {
        Path directory = placed.directories().get(0);
        Path keyspace = TableDirectories.withoutSnapshot(directory).getParent();
        if (Files.isDirectory(keyspace.resolveSibling(SCHEMA_KEYSPACE))) {
            return placed.keyspace();
        }
        Optional<Path> text = placed.schemaFile();
        if (text.isEmpty()) {
            return placed.keyspace();
        }
        return described(text.get())
                .filter(described -> described.table().equals(placed.table()))
                .filter(described ->
                        described.id().equals(placed.id()) || described.id().isEmpty())
                .map(TableDirectories::keyspace)
                .orElse(placed.keyspace());
    }

    private static boolean describesTable(Path schemaFile) throws IOException {
        return describing(schemaFile).filter(text -> text.tables().size() == 1).isPresent();
    }

    /** Names and id of the one table, or else the one view, of a text; no directories. */
    private static Optional<TableDirectories> described(Path schemaFile) throws IOException {
        Optional<CqlSchema> text = describing(schemaFile);
        Collection<TableSchema> tables = text.map(CqlSchema::tables).orElse(List.of());
        if (tables.size() == 1) {
            TableSchema table = tables.iterator().next();
            return Optional.of(
                    new TableDirectories(table.keyspace(), table.name(), TableDirectories.id(table), List.of()));
        }
        Collection<ViewText> views = text.map(schema -> schema.views().values()).orElse(List.of());
        if (tables.isEmpty() && views.size() == 1) {
            ViewText view = views.iterator().next();
            return Optional.of(new TableDirectories(
                    view.keyspace(), view.name(), view.id().map(TableDirectories::asInName), List.of()));
        }
        return Optional.empty();
    }

    private static Optional<CqlSchema> describing(Path schemaFile) throws IOException {
        try {
            return Files.isRegularFile(schemaFile) ? Optional.of(CqlSchema.read(schemaFile)) : Optional.empty();
        } catch (SchemaException e) {
            // Only a name is wanted here; whoever needs the schema parses it again and reports what is wrong.
            return Optional.empty();
        }
    }
}
