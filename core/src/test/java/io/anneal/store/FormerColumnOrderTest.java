package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FormerColumnOrderException;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.directory.Formats;
import io.anneal.table.StoreConfig;
import io.anneal.table.TableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a release left that numbered columns by the unsigned bytes of their names alone: a store with an SSTable of each version,
 * and writes that are in its commit log only.
 */
class FormerColumnOrderTest {
    private static final String TABLE = "former.names";

    @TempDir
    private Path temporary;

    private Path directory;

    @BeforeEach
    void unpack() throws IOException {
        directory = temporary.resolve("store");
        try (InputStream in = FormerColumnOrderTest.class.getResourceAsStream("former-order.zip");
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = directory.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(file);
                } else {
                    Files.createDirectories(file.getParent());
                    Files.copy(zip, file);
                }
            }
        }
    }

    private Store open() throws IOException {
        return Store.open(
                directory,
                StoreConfig.defaults()
                        .withShardCount(1)
                        .withCompactionThreads(0)
                        .withVersion(SSTableVersion.OA));
    }

    private static Map<String, Object> row(int k, int c) {
        int n = 100 * k + c;
        Map<String, Object> row = new HashMap<>();
        row.put("k", k);
        row.put("c", c);
        row.put("état", "static-é-" + k);
        row.put("s", "static-s-" + k);
        row.put("é", n * 10 + 1);
        row.put("b", n * 10 + 2);
        row.put("aé", n * 10 + 3);
        row.put("ñ", Set.of(n, n + 1));
        row.put("l", Set.of(n + 2, n + 3));
        return row;
    }

    private static Map<String, Object> row(int k, int c, Map<String, ?> some) {
        Map<String, Object> row = new HashMap<>(row(k, c));
        row.replaceAll((name, value) -> name.equals("k") || name.equals("c") ? value : null);
        row.putAll(some);
        return row;
    }

    private static List<Map<String, Object>> ofSSTables() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int k = 1; k <= 3; k++) {
            rows.add(row(k, 1));
            rows.add(row(k, 2));
        }
        return rows;
    }

    private static List<Map<String, Object>> all() {
        List<Map<String, Object>> rows = new ArrayList<>(ofSSTables());
        rows.add(row(4, 1));
        rows.add(row(5, 1, Map.of("é", 50)));
        rows.add(row(5, 2, Map.of("b", 51, "ñ", Set.of(7))));
        return rows;
    }

    private static void assertRows(Table table, List<Map<String, Object>> expected) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (TableRows found = table.rows()) {
            for (TableRow row : found) {
                rows.add(new HashMap<>(row.values()));
            }
        }
        assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
    }

    private Path tableDirectory() throws IOException {
        try (Stream<Path> tables = Files.list(directory.resolve("data/former"))) {
            return tables.filter(table -> table.getFileName().toString().startsWith("names-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<Descriptor> descriptors() throws IOException {
        Set<Descriptor> found = new LinkedHashSet<>();
        try (Stream<Path> files = Files.list(tableDirectory()).sorted()) {
            files.forEach(file -> Descriptor.of(file).ifPresent(found::add));
        }
        return List.copyOf(found);
    }

    private static String firstLine(Path manifest) throws IOException {
        return Files.readAllLines(manifest).get(0);
    }

    @Test
    void shouldReadSSTablesAndCommitLog() throws IOException {
        assertThat(firstLine(tableDirectory().resolve("MANIFEST"))).isEqualTo("anneal-manifest 1");

        for (int i = 0; i < 2; i++) {
            try (Store store = open()) {
                assertRows(store.table(TABLE), all());
                assertThat(store.table(TABLE).partition(3).stream().map(row -> row.value("é")))
                        .containsExactly(3011, 3021);
                assertThat(store.table("former.plain")
                                .row(Map.of("k", 1))
                                .orElseThrow()
                                .values())
                        .isEqualTo(Map.of("k", 1, "b", 2, "c", 3));
            }
        }

        // An earlier release must not read the commit log from now on.
        assertThat(firstLine(tableDirectory().resolve("MANIFEST"))).isEqualTo("anneal-manifest 2");
    }

    @Test
    void shouldReplayItsOwnCommitLogAsItIs() throws IOException {
        Path copy = temporary.resolve("copy");
        try (Store store = open()) {
            store.table(TABLE)
                    .row()
                    .key("k", 6)
                    .clustering("c", 1)
                    .set("é", 61)
                    .set("b", 62)
                    .set("l", Set.of(63))
                    .insert();
            copyTo(copy);
        }

        directory = copy;
        try (Store store = open()) {
            List<Map<String, Object>> expected = new ArrayList<>(all());
            expected.add(row(6, 1, Map.of("é", 61, "b", 62, "l", Set.of(63))));
            assertRows(store.table(TABLE), expected);
        }
    }

    private void copyTo(Path copy) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = copy.resolve(directory.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (!file.endsWith("LOCK")) {
                    Files.copy(file, target);
                }
            }
        }
    }

    @Test
    void shouldReadTheLogOfTablesThatAreNewOrGotSuchANameByAnAlteration() throws IOException {
        Path copy = temporary.resolve("copy");
        try (Store store = open()) {
            Table plain = store.table("former.plain");
            assertThat(manifestOf("plain")).isEqualTo("anneal-manifest 1");
            store.alterTable("ALTER TABLE former.plain ADD \"ä\" int");
            assertThat(manifestOf("plain")).isEqualTo("anneal-manifest 2");
            plain.row().key("k", 2).set("ä", 21).set("b", 22).set("c", 23).insert();
            Table created = store.createTable("CREATE TABLE former.created (k int PRIMARY KEY, \"ö\" int, a int)");
            created.row().key("k", 3).set("ö", 31).set("a", 32).insert();
            copyTo(copy);
        }

        directory = copy;
        try (Store store = open()) {
            assertThat(store.table("former.plain")
                            .row(Map.of("k", 2))
                            .orElseThrow()
                            .values())
                    .isEqualTo(Map.of("k", 2, "ä", 21, "b", 22, "c", 23));
            assertThat(store.table("former.created")
                            .row(Map.of("k", 3))
                            .orElseThrow()
                            .values())
                    .isEqualTo(Map.of("k", 3, "ö", 31, "a", 32));
        }
    }

    private String manifestOf(String table) throws IOException {
        try (Stream<Path> tables = Files.list(directory.resolve("data/former"))) {
            return firstLine(tables.filter(path -> path.getFileName().toString().startsWith(table))
                    .findFirst()
                    .orElseThrow()
                    .resolve("MANIFEST"));
        }
    }

    @Test
    void shouldVerifyNoneOfItsSSTables() throws IOException {
        List<Descriptor> descriptors = descriptors();
        assertThat(descriptors).hasSize(3);
        for (Descriptor descriptor : descriptors) {
            try (SSTableReader reader = Formats.open(descriptor)) {
                assertThat(reader.isInFormerColumnOrder()).isTrue();
                assertRefused(descriptor, reader::verify);
            }
        }
    }

    private static void assertRefused(Descriptor descriptor, ThrowingCallable work) {
        assertThatThrownBy(work)
                .isInstanceOf(FormerColumnOrderException.class)
                .hasMessageContaining("columns are in the order of an earlier Anneal")
                .hasMessageContaining("sstable=" + descriptor);
    }

    @Test
    void shouldHandNothingOnBeforeItIsWrittenAnew() throws IOException {
        try (Store store = open()) {
            Table table = store.table(TABLE);

            assertThatThrownBy(() -> table.snapshot("before"))
                    .isInstanceOf(FormerColumnOrderException.class)
                    .hasMessageContaining("columns are in the order of an earlier Anneal");
            table.compact();
            Path snapshot = table.snapshot("after");

            try (SSTables sstables = SSTables.open(snapshot)) {
                for (SSTableReader reader : sstables.readers()) {
                    assertThat(reader.isInFormerColumnOrder()).isFalse();
                    reader.verify();
                }
            }
            assertRows(table, all());
        }
    }

    @Test
    void shouldRefuseToImportThem() throws IOException {
        open().close();
        Path other = temporary.resolve("other");
        String text = Files.readString(tableDirectory().resolve(TableDirectory.SCHEMA_FILE));
        try (Store store = Store.open(other)) {
            Table table = store.createTable(text);

            assertThatThrownBy(() -> table.importSSTables(tableDirectory()))
                    .isInstanceOf(FormerColumnOrderException.class)
                    .hasMessageContaining("columns are in the order of an earlier Anneal");

            assertThat(table.sstableCount()).isZero();
        }
    }
}
