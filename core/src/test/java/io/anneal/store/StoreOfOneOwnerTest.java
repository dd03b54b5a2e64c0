package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.TableSchema;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the umask, which leaves everybody the right to read where these tests run: nobody but the owner reads what a store keeps. */
class StoreOfOneOwnerTest {
    @TempDir
    private Path directory;

    private static List<String> openToOthers(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> !permissions(file).endsWith("------"))
                    .map(file -> permissions(file) + " " + root.relativize(file))
                    .toList();
        }
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new AssertionError(file.toString(), e);
        }
    }

    @Test
    void shouldMakeFilesThatOnlyTheirOwnerReads() throws IOException {
        Path root = directory.resolve("above/store");
        try (Store store = Store.open(root, StoreConfig.defaults())) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            for (int round = 0; round < 3; round++) {
                table.row().key("k", round).set("v", "private").insert();
                store.flush();
            }
            store.snapshot("kept");
            table.compact();
            table.row().key("k", 4).set("v", "private").insert();

            assertThat(openToOthers(directory.resolve("above"))).isEmpty();
        }
        try (Stream<Path> files = Files.walk(root)) {
            // There was something to look at.
            assertThat(files.map(file -> file.getFileName().toString()))
                    .anyMatch(name -> name.endsWith("-Data.db"))
                    .anyMatch(name -> name.startsWith("CommitLog-"))
                    .contains("MANIFEST", "snapshots");
        }
    }

    @Test
    void shouldWriteSSTablesThatOnlyTheirOwnerReads() throws IOException {
        Path to = directory.resolve("sstables");
        Files.createDirectory(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        TableSchema schema = TableSchema.builder("ks", "t")
                .partitionKey("k", "int")
                .column("v", "text")
                .build();
        try (SSTableWriter writer = SSTableWriter.builder(schema).to(to).sorted()) {
            writer.insert(Map.of("k", 1, "v", "private"), 1);
            writer.finish();
        }
        assertThat(openToOthers(to)).containsExactly("rwxr-xr-x ");
        try (Stream<Path> files = Files.walk(to)) {
            assertThat(files.map(file -> file.getFileName().toString())).anyMatch(name -> name.endsWith("-Data.db"));
        }
    }
}
