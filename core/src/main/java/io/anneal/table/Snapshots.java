package io.anneal.table;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A table's snapshots, each {@code snapshots/<name>/} as Cassandra makes it: hard links to SSTables, the schema text, and
 * {@code manifest.json} that lists the data files. A snapshot is there whole or not at all.
 */
final class Snapshots {
    static final String MANIFEST_FILE = "manifest.json";

    private static final Pattern NAME = Pattern.compile("[\\w][\\w.+:-]*");
    /** While it is made or deleted something stands before the name. */
    private static final int NAME_LENGTH_MAX = TableCatalogue.FILE_NAME_LENGTH_MAX - TableCatalogue.MAKING.length();

    private final Path directory;
    private final OutputFile.Opener opener;

    Snapshots(Path tableDirectory, OutputFile.Opener opener) {
        directory = tableDirectory.resolve(TableCatalogue.SNAPSHOTS);
        this.opener = opener;
    }

    /** @throws IllegalArgumentException when it is none */
    static void requireName(String name) {
        if (!NAME.matcher(name).matches() || name.length() > NAME_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "name of a snapshot has other characters than letters, digits and _.+:-, does not begin with a letter,"
                            + " a digit or _, or is too long, name=" + name + ", lengthMax=" + NAME_LENGTH_MAX);
        }
    }

    Path take(String name, TableSchema schema, Collection<Descriptor> sstables, Instant now) throws IOException {
        requireName(name);
        Path snapshot = directory.resolve(name);
        if (Files.exists(snapshot)) {
            throw new IllegalStateException("snapshot exists already, directory=" + snapshot);
        }
        Path making = directory.resolve(TableCatalogue.MAKING + name);
        Directories.deleteTree(making);
        Directories.create(making);
        for (Descriptor source : sstables) {
            SSTableLinks.link(source, new Descriptor(making, source.version(), source.generation(), source.format()));
        }
        replace(making.resolve(TableDirectory.SCHEMA_FILE), SchemaText.print(schema));
        replace(making.resolve(MANIFEST_FILE), manifest(sstables, now));

        Directories.rename(making, snapshot);
        Directories.sync(directory);
        return snapshot;
    }

    private void replace(Path file, String text) throws IOException {
        AtomicFile.replace(file, text.getBytes(StandardCharsets.UTF_8), opener);
    }

    private static String manifest(Collection<Descriptor> sstables, Instant now) {
        String files = sstables.stream()
                .map(s -> '"' + s.file(Component.DATA).getFileName().toString() + '"')
                .collect(Collectors.joining(","));
        return "{\"files\":[" + files + "],\"created_at\":\"" + now + "\",\"expires_at\":null,\"ephemeral\":false}\n";
    }

    /** The names of all; none where a table never had one. */
    List<String> names() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        return Directories.list(directory).stream()
                .filter(Files::isDirectory)
                .map(entry -> entry.getFileName().toString())
                .filter(name -> NAME.matcher(name).matches())
                .toList();
    }

    /** Deletes one: its name first, at once, then its files. Does nothing when there is none. */
    void delete(String name) throws IOException {
        requireName(name);
        Path snapshot = directory.resolve(name);
        if (Files.isDirectory(snapshot)) {
            // None of this name is being made: there is one.
            Path deleted = directory.resolve(TableCatalogue.MAKING + name);
            Directories.deleteTree(deleted);
            Directories.rename(snapshot, deleted);
            Directories.sync(directory);
            Directories.deleteTree(deleted);
        }
    }

    /** Deletes what a crash left of snapshots that were being made or deleted. */
    void sweep() throws IOException {
        if (Files.isDirectory(directory)) {
            for (Path entry : Directories.list(directory)) {
                if (entry.getFileName().toString().startsWith(TableCatalogue.MAKING)) {
                    Directories.deleteTree(entry);
                }
            }
        }
    }
}
