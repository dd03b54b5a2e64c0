package io.anneal.store.directory;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
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
        List<SSTableReader> readers = new ArrayList<>();
        try {
            for (Descriptor descriptor : descriptors) {
                readers.add(Formats.open(descriptor));
            }
            return readers.isEmpty() ? "" : SchemaText.printTypes(HeaderSchemas.union(table, readers));
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
        String base = schema.viewBases().get(table.qualifiedName());
        if (base != null) {
            throw new SchemaException("table is a materialized view, which Cassandra fills from its base, table="
                    + table.qualifiedName() + ", base=" + base + ", file=" + file.get());
        }
        throw new SchemaException("schema text does not describe the table, table=" + table.qualifiedName() + ", file="
                + file.get() + ", described="
                + all.stream().map(TableSchema::qualifiedName).toList());
    }
}
