package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.OutputFile;
import io.anneal.key.ShardRule;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.table.StoreConfig;
import io.anneal.table.TableDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One broken table keeps nobody from the others, and loses nothing itself. */
final class UnreadableTableTest {
    private static final int FLUSHED = 20;
    private static final int LOGGED = 20;

    @TempDir
    private Path temporary;

    /** What can be wrong with a table's directory. */
    private enum Damage {
        FLIPPED_STATISTICS("Statistics.db", bytes -> {
            bytes[bytes.length / 2] ^= 1;
            return bytes;
        }),
        NO_DATA("Data.db", bytes -> null),
        NO_MANIFEST("MANIFEST", bytes -> null),
        WRONG_MANIFEST("MANIFEST", bytes -> "nonsense\n".getBytes(StandardCharsets.UTF_8)),
        NO_SCHEMA("schema.cql", bytes -> null),
        WRONG_SCHEMA("schema.cql", bytes -> "CREATE TABLE".getBytes(StandardCharsets.UTF_8)),
        BAD_STRATEGY("schema.cql", bytes -> with(bytes, "compaction = {'class': 'NoSuch'}")),
        BAD_THRESHOLD(
                "schema.cql",
                bytes -> with(bytes, "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '1'}")),
        BAD_INTERVAL("schema.cql", bytes -> with(bytes, "min_index_interval = 0")),
        BAD_LEVEL(
                "schema.cql",
                bytes -> with(bytes, "compression = {'class': 'ZstdCompressor', 'compression_level': '99'}")),
        BAD_PURGING("schema.cql", bytes -> with(bytes, "tombstone_gc = {'mode': 'never'}"));

        private interface Change {
            byte[] of(byte[] bytes);
        }

        private final String file;
        private final Change change;

        Damage(String file, Change change) {
            this.file = file;
            this.change = change;
        }

        private static byte[] with(byte[] schema, String option) {
            String text = new String(schema, StandardCharsets.UTF_8);
            return text.replaceFirst(";\\s*$", "\n    AND " + option + ";\n").getBytes(StandardCharsets.UTF_8);
        }
    }

    private static StoreConfig config() {
        return StoreConfig.defaults()
                .withShardCount(2)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(128 << 10)
                .withCompactionThreads(0);
    }

    private static void write(Table table, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            table.row().key("id", i).set("v", "value " + i).insert();
        }
    }

    private static int count(Table table) throws IOException {
        try (TableRows rows = table.rows()) {
            int count = 0;
            while (rows.next() != null) {
                count++;
            }
            return count;
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (!file.getFileName().toString().equals("LOCK")) {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static Map<String, Long> files(Path directory) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                found.put(directory.relativize(file).toString(), Files.size(file));
            }
        }
        return found;
    }

    private static Path tableDirectory(Path store, String table) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("data").resolve("k"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(table + "-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Path file(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** A store that was killed: rows in SSTables, and others in its commit log alone. */
    private Path killed() throws IOException {
        Path living = temporary.resolve("living");
        Path killed = temporary.resolve("killed");
        try (Store store = Store.open(living, config())) {
            for (String name : List.of("broken", "other", "gone")) {
                Table table = store.createTable("CREATE TABLE k." + name + " (id int PRIMARY KEY, v text)");
                write(table, 0, FLUSHED);
                table.flush();
                write(table, FLUSHED, FLUSHED + LOGGED);
            }
            copy(living, killed);
        }
        return killed;
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void shouldSetATableApartUntilItIsMended(Damage damage) throws IOException {
        Path directory = killed();
        Path broken = tableDirectory(directory, "broken");
        Path file = file(broken, damage.file);
        byte[] right = Files.readAllBytes(file);
        byte[] wrong = damage.change.of(right.clone());
        if (wrong == null) {
            Files.delete(file);
        } else {
            Files.write(file, wrong);
        }
        Files.write(broken.resolve("nb-77-big-Data.db"), new byte[1]);
        Map<String, Long> before = files(broken);

        for (int round = 1; round <= 3; round++) {
            try (Store store = Store.open(directory, config())) {
                assertThat(store.unreadable()).containsOnlyKeys("k.broken");
                String reason = store.unreadable().get("k.broken").getMessage();
                assertThatThrownBy(() -> store.table("k.broken"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("table=k.broken")
                        .hasMessageContaining(reason);
                assertThatThrownBy(() -> store.findTable("k.broken")).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> store.createTable("CREATE TABLE k.broken (id int PRIMARY KEY)"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(reason);
                assertThat(store.tables())
                        .noneMatch(table -> table.schema().name().equals("broken"));
                assertThat(store.metrics().keySet()).noneMatch(name -> name.contains("k.broken"));
                Table other = store.table("k.other");
                assertThat(count(other)).isEqualTo(round * FLUSHED + LOGGED);
                write(other, (round + 1) * FLUSHED, (round + 1) * FLUSHED + LOGGED);
                // Dropped and made again: the kept part of the log has rows of it.
                store.dropTable("k.gone");
                write(store.createTable("CREATE TABLE k.gone (id int PRIMARY KEY, v text)"), 1000, 1001);
                assertThat(store.failure()).isEmpty();
            }
            assertThat(files(broken)).isEqualTo(before);
        }

        Files.write(file, right);
        try (Store store = Store.open(directory, config())) {
            assertThat(store.unreadable()).isEmpty();
            assertThat(count(store.table("k.broken"))).isEqualTo(FLUSHED + LOGGED);
            assertThat(count(store.table("k.other"))).isEqualTo(4 * FLUSHED + LOGGED);
            assertThat(count(store.table("k.gone"))).isEqualTo(1);
        }
        long segments;
        try (Stream<Path> log = Files.list(directory.resolve("commitlog"))) {
            segments = log.count();
        }
        try (Store store = Store.open(directory, config())) {
            assertThat(count(store.table("k.broken"))).isEqualTo(FLUSHED + LOGGED);
            assertThat(store.metrics().get("commitlog.segments"))
                    .satisfies(count -> assertThat(segments).isLessThan(8));
        }
    }

    /** As an earlier release made them, or somebody copied a node's. */
    @Test
    void shouldSetATableOfASystemKeyspaceApart() throws IOException {
        Path directory = temporary.resolve("store");
        try (Store store = Store.open(directory, config())) {
            write(store.createTable("CREATE TABLE k.other (id int PRIMARY KEY, v text)"), 0, LOGGED);
        }
        TableDirectory.create(
                directory.resolve("data"),
                TableSchema.builder("system_auth", "roles")
                        .id("2d987f40-e54c-11f1-9953-9ddbc8d5a59d")
                        .partitionKey("role", "text")
                        .build(),
                new ShardRule(2, ShardRule.IGNORED_BITS_DEFAULT),
                CommitLogPosition.NONE,
                null,
                OutputFile.CREATE_NEW);
        try (Store store = Store.open(directory, config())) {
            assertThat(count(store.table("k.other"))).isEqualTo(LOGGED);
            assertThat(store.unreadable()).containsOnlyKeys("system_auth.roles");
            assertThatThrownBy(() -> store.table("system_auth.roles"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("keyspace is one of Cassandra's own")
                    .hasMessageContaining("keyspace=system_auth, table=system_auth.roles");
            store.dropTable("system_auth.roles");
            assertThat(store.unreadable()).isEmpty();
        }
    }

    /** What a program only reads may be a node's. */
    @Test
    void shouldReadATableOfASystemKeyspaceThatIsCassandras() throws IOException {
        TableSchema roles = TableSchema.builder("system_auth", "roles")
                .partitionKey("role", "text")
                .build();
        try (SSTableWriter writer =
                SSTableWriter.builder(roles).to(temporary).timestampMicros(1).unsorted(1 << 20)) {
            writer.row().key("role", "admin").insert();
            writer.finish();
        }
        Path written = temporary.resolve("system_auth/roles");
        Files.writeString(written.resolve("schema.cql"), SchemaText.print(roles));
        try (Store store = Store.openReadOnly(written)) {
            assertThat(count(store.table("system_auth.roles"))).isEqualTo(1);
        }
    }

    @Test
    void shouldNotFlushForEverWhatItKeeps() throws IOException {
        Path directory = temporary.resolve("store");
        Path killed = temporary.resolve("killed");
        String big = "x".repeat(16 << 10);
        try (Store store = Store.open(directory, config().withCommitLogBudgetBytes(1 << 30))) {
            Table table = store.createTable("CREATE TABLE k.broken (id int PRIMARY KEY, v text)");
            store.createTable("CREATE TABLE k.other (id int PRIMARY KEY, v text)");
            for (int i = 0; i < 40; i++) {
                table.row().key("id", i).set("v", big).insert();
            }
            copy(directory, killed);
        }
        Path schema = tableDirectory(killed, "broken").resolve("schema.cql");
        byte[] right = Files.readAllBytes(schema);
        Files.delete(schema);
        try (Store store = Store.open(killed, config())) {
            Table other = store.table("k.other");
            write(other, 0, 300);
            // Far more is kept than the budget, and nothing of it is for flushes to release.
            assertThat(tableDirectory(killed, "other").toFile().list((dir, name) -> name.endsWith("-Data.db")))
                    .isEmpty();
            assertThat(count(other)).isEqualTo(300);
        }
        Files.write(schema, right);
        try (Store store = Store.open(killed, config())) {
            assertThat(count(store.table("k.broken"))).isEqualTo(40);
        }
    }

    @Test
    void shouldDropATableThatIsSetApart() throws IOException {
        Path directory = killed();
        Files.delete(tableDirectory(directory, "broken").resolve("schema.cql"));
        try (Store store = Store.open(directory, config())) {
            store.dropTable("k.broken");
            assertThat(store.unreadable()).isEmpty();
            write(store.createTable("CREATE TABLE k.broken (id int PRIMARY KEY, v text)"), 7, 8);
        }
        try (Store store = Store.open(directory, config())) {
            assertThat(count(store.table("k.broken"))).isEqualTo(1);
            assertThat(count(store.table("k.other"))).isEqualTo(FLUSHED + LOGGED);
        }
    }
}
