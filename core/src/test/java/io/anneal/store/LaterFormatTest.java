package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaterFormatTest {
    /** So long that the expiry lies after 2038, which {@code nb} does not hold. */
    private static final int TWENTY_YEARS_SECONDS = 630_720_000;

    @TempDir
    private Path directory;

    @Test
    void shouldGoOnWithTheFormatOfATableWhoseTimesTheStoresDoesNotHold() throws IOException {
        Path home = directory.resolve("store");
        try (Store store = Store.open(home, StoreConfig.defaults().withVersion(SSTableVersion.OA))) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            insert(table, 1);
            table.flush();
        }

        try (Store store = Store.open(home)) {
            Table table = store.table("ks.t");
            assertThat(table.writtenVersion()).isEqualTo(SSTableVersion.OA);
            insert(table, 2);
            table.compact();

            assertThat(table.row(Map.of("k", 1)).orElseThrow().value("v")).isEqualTo("x");
        }
        // While it was open it deleted what it had compacted.
        assertThat(dataFiles(home)).isNotEmpty().allMatch(name -> name.startsWith("oa-"));
    }

    @Test
    void shouldGoOnWithALaterFormatWhenOnlyTheCommitLogHasTimesThatTheStoresDoesNotHold() throws IOException {
        Path home = directory.resolve("store");
        Path crashed = directory.resolve("crashed");
        try (Store store = Store.open(home, StoreConfig.defaults().withVersion(SSTableVersion.OA))) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            Table early = store.createTable("CREATE TABLE ks.early (k int PRIMARY KEY, v text)");
            insert(table, 1);
            early.row().key("k", 1).set("v", "x").ttlSeconds(60).insert();
            copy(home, crashed);
        }

        try (Store store = Store.open(crashed)) {
            Table table = store.table("ks.t");
            assertThat(table.writtenVersion()).isEqualTo(SSTableVersion.OA);
            assertThat(store.table("ks.early").writtenVersion()).isEqualTo(SSTableVersion.NB);
            assertThat(table.row(Map.of("k", 1)).orElseThrow().value("v")).isEqualTo("x");
            insert(table, 2);
            table.compact();
        }
        try (Store store = Store.open(crashed)) {
            assertThat(store.table("ks.t").row(Map.of("k", 2)).orElseThrow().value("v"))
                    .isEqualTo("x");
        }
    }

    /** As the files of a store lie when its process is killed: without its locks. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.sorted().toList()) {
                if (!file.getFileName().toString().equals("LOCK")) {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                }
            }
        }
    }

    @Test
    void shouldOpenAStoreWhoseCommitLogHasDeletionsThatALaterFormatDoesNotHold() throws IOException {
        Path home = directory.resolve("store");
        Path crashed = directory.resolve("crashed");
        try (Store store = Store.open(home)) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            table.row().key("k", 1).timestampMicros(-5).deletePartition();
            table.row().key("k", 1).set("v", "x").insert();
            copy(home, crashed);
        }

        try (Store store = Store.open(crashed, StoreConfig.defaults().withVersion(SSTableVersion.OA))) {
            Table table = store.table("ks.t");
            assertThat(table.row(Map.of("k", 1)).orElseThrow().value("v")).isEqualTo("x");
        }
    }

    @Test
    void shouldTakeTheFormatOfWhatIsImported() throws IOException {
        try (Store store = Store.open(directory.resolve("store"))) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            try (SSTableWriter writer = SSTableWriter.builder(table.schema())
                    .to(directory.resolve("files"))
                    .format(SSTableVersion.DA)
                    .timestampMicros(1)
                    .unsorted(1 << 20)) {
                writer.row()
                        .key("k", 1)
                        .set("v", "x")
                        .ttlSeconds(TWENTY_YEARS_SECONDS)
                        .insert();
                writer.finish();
            }
            assertThat(table.writtenVersion()).isEqualTo(SSTableVersion.NB);
            table.importSSTables(directory.resolve("files/ks/t"));

            assertThat(table.writtenVersion()).isEqualTo(SSTableVersion.DA);
            insert(table, 2);
            table.compact();
            assertThat(table.row(Map.of("k", 2)).orElseThrow().value("v")).isEqualTo("x");
        }
    }

    private static void insert(Table table, int key) throws IOException {
        table.row().key("k", key).set("v", "x").ttlSeconds(TWENTY_YEARS_SECONDS).insert();
    }

    /** Asks nothing of the files but their names: some are being deleted. */
    private static List<String> dataFiles(Path home) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> tables = Files.newDirectoryStream(home.resolve("data/ks"))) {
            for (Path table : tables) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(table, "*-Data.db")) {
                    files.forEach(file -> names.add(file.getFileName().toString()));
                }
            }
        }
        return names;
    }
}
