package io.anneal.store.directory;

import io.anneal.io.Directories;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** SSTables that Cassandra wrote (table {@code corpus.deletions}, three flushes), laid out as a test wants them. */
public final class CassandraFiles {
    public static final String KEYSPACE = "corpus";
    public static final String TABLE = "deletions";
    public static final String ID = "2d987f40e54c11f199539ddbc8d5a59d";
    public static final String OTHER_ID = "00000000e54c11f199539ddbc8d5a59d";

    private CassandraFiles() {}

    public static Path resources() {
        try {
            return Path.of(CassandraFiles.class.getResource(TABLE).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Creates {@code <data>/corpus/deletions-<id>/}. */
    public static Path tableDirectory(Path data, String id) throws IOException {
        return Files.createDirectories(data.resolve(KEYSPACE).resolve(TABLE + "-" + id));
    }

    public static void copySSTable(int generation, Path directory) throws IOException {
        copy("nb-" + generation + "-big-", directory);
    }

    public static void copySchema(Path directory) throws IOException {
        copy("schema.cql", directory);
    }

    private static void copy(String prefix, Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Path file : Directories.list(resources())) {
            if (file.getFileName().toString().startsWith(prefix)) {
                Files.copy(file, directory.resolve(file.getFileName().toString()));
            }
        }
    }

    /** All three SSTables and the schema text. */
    public static Path wholeTable(Path data) throws IOException {
        Path directory = tableDirectory(data, ID);
        for (int generation = 1; generation <= 3; generation++) {
            copySSTable(generation, directory);
        }
        copySchema(directory);
        return directory;
    }

    public static Path data(Path directory, int generation) {
        return new Descriptor(directory, "nb", Integer.toString(generation), "big").file(Component.DATA);
    }

    public static Path writeLog(Path directory, String... lines) throws IOException {
        Path log = directory.resolve("nb_txn_compaction_7a6e2f60-e54c-11f1-9953-9ddbc8d5a59d.log");
        return Files.writeString(log, String.join("\n", lines), StandardCharsets.UTF_8);
    }

    public static List<String> generations(TableDirectories table) throws IOException {
        return table.liveSSTables().stream()
                .map(Descriptor::generation)
                .sorted()
                .toList();
    }
}
