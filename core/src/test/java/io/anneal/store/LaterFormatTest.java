package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static List<String> dataFiles(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home.resolve("data"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("-Data.db"))
                    .toList();
        }
    }
}
