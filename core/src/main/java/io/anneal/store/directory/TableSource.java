package io.anneal.store.directory;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.schema.ViewText;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which SSTables are to be opened as one table, and the schema text that describes it, if there is one. Nothing is open
 * yet. Immutable.
 *
 * @param directories where they lie, and the table's name by that
 * @param descriptors the live ones
 * @param schemaText the table as text describes it; empty when only the SSTables' own headers tell
 */
public record TableSource(
        TableDirectories directories, List<Descriptor> descriptors, Optional<TableSchema> schemaText) {
    public TableSource {
        descriptors = List.copyOf(descriptors);
    }

    /**
     * Everything live of a table.
     *
     * @param schemaFile the text to use; empty for what lies beside the SSTables or in the newest snapshot
     * @throws SchemaException when the text is wrong or does not describe the table
     */
    public static TableSource of(TableDirectories table, Optional<Path> schemaFile) throws IOException {
        List<Descriptor> live = table.liveSSTables();
        return new TableSource(table, live, schema(table, live, schemaFile));
    }

    /**
     * The same of a table or of a materialized view, which others refuse: its rows are Cassandra's, to be read and no more. Its
     * text has the names of its key, SSTables have the types of its columns.
     *
     * @param alike SSTables of another replica, whose headers may have columns that these have not
     * @param withoutBase gets a view whose base no text describes: the given one, the one beside it, or one beside its base. A
     *     row then needs liveness, as in nearly all views
     */
    public static TableSource ofTableOrView(
            TableDirectories table, Optional<Path> schemaFile, List<Descriptor> alike, Consumer<ViewText> withoutBase)
            throws IOException {
        List<Descriptor> live = table.liveSSTables();
        List<CqlSchema> texts = new ArrayList<>();
        for (Optional<Path> file : List.of(schemaFile, table.schemaFile())) {
            if (file.isPresent()) {
                texts.add(parse(file.get(), table, live));
            }
        }
        Optional<ViewText> view = texts.stream()
                .flatMap(text -> Optional.ofNullable(text.views().get(table.qualifiedName())).stream())
                .filter(found -> !found.partitionKey().isEmpty())
                .findFirst();
        if (view.isEmpty()) {
            return of(table, schemaFile);
        }
        Set<Descriptor> all = new LinkedHashSet<>(live);
        all.addAll(alike);
        TableSchema headers = inHeaders(table, List.copyOf(all))
                .orElseThrow(() -> new SchemaException("view has no SSTable that tells the types of its columns, table="
                        + table.qualifiedName() + ", directories=" + table.directories()));
        Optional<TableSchema> base = base(view.get(), table, texts);
        if (base.isEmpty()) {
            withoutBase.accept(view.get());
        }
        boolean needsLiveness = base.map(view.get()::needsLiveness).orElse(true);
        return new TableSource(table, live, Optional.of(view.get().over(headers, needsLiveness)));
    }

    private static Optional<TableSchema> base(ViewText view, TableDirectories table, List<CqlSchema> texts)
            throws IOException {
        List<CqlSchema> all = new ArrayList<>(texts);
        for (Path directory : table.directories()) {
            Path keyspace = TableDirectories.withoutSnapshot(directory).getParent();
            if (keyspace != null && keyspace.endsWith(view.keyspace())) {
                for (TableDirectories beside : CassandraDirectory.of(keyspace).tables()) {
                    Optional<Path> file = beside.table().equals(view.base()) ? beside.schemaFile() : Optional.empty();
                    if (file.isPresent()) {
                        all.add(parse(file.get(), beside, beside.liveSSTables()));
                    }
                }
            }
        }
        return all.stream()
                .flatMap(text -> text.tables().stream())
                .filter(found ->
                        found.keyspace().equals(view.keyspace()) && found.name().equals(view.base()))
                .findFirst();
    }

    /**
     * What a user named: any component of an SSTable (then only that one), or a directory that holds one table. Several
     * must belong to one table.
     */
    public static TableSource of(List<Path> files, Optional<Path> schemaFile) throws IOException {
        Set<Descriptor> descriptors = new LinkedHashSet<>();
        Set<Path> directories = new LinkedHashSet<>();
        for (Path file : files) {
            if (Files.isDirectory(file)) {
                TableDirectories table = CassandraDirectory.of(file).onlyTable();
                descriptors.addAll(table.liveSSTables(directoriesOf(files)));
                directories.addAll(table.directories());
            } else {
                Descriptor descriptor = descriptor(file);
                descriptors.add(descriptor);
                directories.add(descriptor.directory());
            }
        }
        TableDirectories table = CassandraDirectory.of(List.copyOf(directories)).onlyTable();
        List<Descriptor> found = List.copyOf(descriptors);
        return new TableSource(table, found, schema(table, found, schemaFile));
    }

    /**
     * The live SSTables that a component or a directory of one table stands for, for those who want no schema but what each
     * of them tells itself.
     *
     * @param files all that were named: a snapshot's files may lie on several disks
     */
    public static List<Descriptor> descriptors(Path file, List<Path> files) throws IOException {
        return Files.isDirectory(file)
                ? CassandraDirectory.of(file).onlyTable().liveSSTables(directoriesOf(files))
                : List.of(descriptor(file));
    }

    private static List<Path> directoriesOf(List<Path> files) {
        return files.stream().filter(Files::isDirectory).toList();
    }

    private static Descriptor descriptor(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        Descriptor descriptor = Descriptor.of(file.toRealPath())
                .orElseThrow(() -> new IllegalArgumentException("file is no component of an SSTable, file=" + file));
        Formats.requireRead(descriptor);
        return descriptor;
    }

    /**
     * Cassandra's snapshots leave out user types that only stand inside other types; the SSTables' headers have them. Types
     * that the text does have are taken from it.
     */
    private static CqlSchema parse(Path file, TableDirectories table, List<Descriptor> descriptors) throws IOException {
        String text = CqlSchema.text(file);
        try {
            return CqlSchema.parse(text, file);
        } catch (SchemaException e) {
            String held = typesInHeaders(table, descriptors);
            if (held.isEmpty()) {
                throw e;
            }
            return CqlSchema.parse(text + "\n" + held, file);
        }
    }

    private static String typesInHeaders(TableDirectories table, List<Descriptor> descriptors) throws IOException {
        return inHeaders(table, descriptors).map(SchemaText::printTypes).orElse("");
    }

    /** Empty without SSTables. */
    private static Optional<TableSchema> inHeaders(TableDirectories table, List<Descriptor> descriptors)
            throws IOException {
        List<SSTableReader> readers = new ArrayList<>();
        try {
            for (Descriptor descriptor : descriptors) {
                readers.add(Formats.open(descriptor));
            }
            return readers.isEmpty() ? Optional.empty() : Optional.of(HeaderSchemas.union(table, readers));
        } finally {
            for (SSTableReader reader : readers) {
                reader.close();
            }
        }
    }

    private static Optional<TableSchema> schema(
            TableDirectories table, List<Descriptor> descriptors, Optional<Path> schemaFile) throws IOException {
        Optional<Path> file = schemaFile.isPresent() ? schemaFile : table.schemaFile();
        if (file.isEmpty()) {
            return Optional.empty();
        }
        CqlSchema schema = parse(file.get(), table, descriptors);
        Optional<TableSchema> named = schema.table(table.keyspace(), table.table());
        if (named.isPresent()) {
            return named;
        }
        // Files copied out of Cassandra's layout have no name that could contradict a text about a single table.
        Collection<TableSchema> all = schema.tables();
        if (table.id().isEmpty() && all.size() == 1) {
            return Optional.of(all.iterator().next());
        }
        if (table.id().isEmpty() && all.isEmpty() && !schema.refusals().isEmpty()) {
            throw new UnsupportedTypeException(
                    schema.refusals().values().iterator().next() + ", file=" + file.get());
        }
        ViewText view = schema.views().get(table.qualifiedName());
        if (view != null) {
            throw new SchemaException("table is a materialized view, which Cassandra fills from its base, table="
                    + table.qualifiedName() + ", base=" + view.keyspace() + "." + view.base() + ", file="
                    + file.get());
        }
        throw SchemaException.ofOtherTables(
                "schema text does not describe the table, table=" + table.qualifiedName() + ", file="
                        + file.get() + ", described="
                        + all.stream().map(TableSchema::qualifiedName).toList());
    }
}
