package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.store.directory.AmbiguousTableException;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadOnlyTablesTest {
    @TempDir
    private Path data;

    @TempDir
    private Path stagings;

    private Path write(String table, String id, String value) throws IOException {
        TableSchema schema = CqlSchema.parse("CREATE TABLE ks." + table + " (id int PRIMARY KEY, v text)", "text")
                .tables()
                .iterator()
                .next();
        Descriptor written;
        Path staging = stagings.resolve(table + id);
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(staging).timestampMicros(1).unsorted(1 << 20)) {
            writer.row().key("id", 1).set("v", value).insert();
            written = writer.finish().get(0);
        }
        Path directory = data.resolve("ks").resolve(table + "-" + id.repeat(32));
        Files.createDirectories(directory.getParent());
        Files.move(written.directory(), directory);
        Files.writeString(directory.resolve("schema.cql"), SchemaText.print(schema));
        return directory;
    }

    private static TableRow row(Table table) throws IOException {
        return table.row(Map.of("id", 1)).orElseThrow();
    }

    @Test
    void shouldReadEveryTableOfADataDirectory() throws IOException {
        write("a", "0", "first");
        write("b", "1", "second");
        try (Store store = Store.openReadOnly(data)) {
            assertThat(store.tables())
                    .extracting(table -> row(table).value("v"))
                    .containsExactly("first", "second");
            assertThat(row(store.table("ks.b")).value("v")).isEqualTo("second");
            assertThat(store.findTable("ks.c")).isEmpty();
            assertThat(store.failure()).isEmpty();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> store.table("ks.c"))
                    .withMessageContaining("tables=[ks.a, ks.b]");
        }
    }

    @Test
    void shouldReadTablesOfSeveralDirectories() throws IOException {
        Path a = write("a", "0", "first");
        Path b = write("b", "1", "second");
        try (Store store = Store.openReadOnly(a, b)) {
            assertThat(store.tables()).hasSize(2);
        }
        assertThatIllegalArgumentException().isThrownBy(Store::openReadOnly);
    }

    @Test
    void shouldRefuseToWrite() throws IOException {
        write("a", "0", "first");
        try (Store store = Store.openReadOnly(data)) {
            Table table = store.table("ks.a");
            for (ThrowingCallable write : List.<ThrowingCallable>of(
                    table::row,
                    table::rangeDeletion,
                    table::mutation,
                    table::flush,
                    table::truncate,
                    store::compact,
                    () -> store.snapshot("x"),
                    () -> store.dropTable("ks.a"),
                    () -> store.createTable("CREATE TABLE ks.c (id int PRIMARY KEY)"))) {
                assertThatExceptionOfType(UnsupportedOperationException.class)
                        .isThrownBy(write)
                        .withMessageContaining("store is read-only");
            }
        }
    }

    @Test
    void shouldReadTheOthersWhenOneTableIsDamaged() throws IOException {
        write("a", "0", "first");
        Path damaged = write("b", "1", "second");
        Descriptor descriptor =
                Descriptor.of(damaged.resolve("nb-1-big-Data.db")).orElseThrow();
        Files.write(descriptor.file(Component.STATISTICS), new byte[3]);
        try (Store store = Store.openReadOnly(data)) {
            assertThat(store.tables()).hasSize(1);
            assertThat(store.unreadable()).containsOnlyKeys("ks.b");
            assertThat(store.unreadable().get("ks.b")).isInstanceOf(CorruptSSTableException.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> store.table("ks.b"))
                    .withMessageContainingAll("table=ks.b", "nb-1-big-Statistics.db");
        }
    }

    @Test
    void shouldNotChooseBetweenTwoTablesOfOneName() throws IOException {
        write("a", "0", "first");
        write("a", "1", "second");
        try (Store store = Store.openReadOnly(data)) {
            assertThat(store.tables()).isEmpty();
            assertThat(store.unreadable().get("ks.a")).isInstanceOf(AmbiguousTableException.class);
        }
    }

    @Test
    void shouldReadASnapshotOfAStoreAndTheStoreOnceItIsClosed() throws IOException {
        Path directory = data.resolve("store");
        Path snapshot;
        try (Store store = Store.open(directory)) {
            Table table = store.createTable("CREATE TABLE ks.a (id int PRIMARY KEY, v text)");
            table.row().key("id", 1).set("v", "first").insert();
            snapshot = table.snapshot("before");
            assertThatIllegalStateException()
                    .isThrownBy(() -> Store.openReadOnly(directory.resolve("data")))
                    .withMessageContaining("store is open")
                    .withMessageContaining("pid=");
        }
        for (Path read : List.of(snapshot, directory, directory.resolve("data"))) {
            try (Store store = Store.openReadOnly(read)) {
                assertThat(row(store.table("ks.a")).value("v")).isEqualTo("first");
            }
        }
    }

    private static void makeStore(Path directory, String table) throws IOException {
        try (Store store = Store.open(directory, StoreConfig.defaults().withShardCount(1))) {
            store.createTable("CREATE TABLE ks." + table + " (id int PRIMARY KEY, v text)")
                    .row()
                    .key("id", 1)
                    .set("v", "of " + table)
                    .insert();
        }
    }

    @Test
    void shouldReadAStoreByEveryDirectoryOfIt() throws IOException {
        Path directory = data.resolve("stores/one");
        makeStore(directory, "a");
        makeStore(data.resolve("stores/two"), "b");
        for (Path given : List.of(directory, directory.resolve("data"), directory.resolve("data/ks"))) {
            try (Store store = Store.openReadOnly(given)) {
                assertThat(row(store.table("ks.a")).value("v")).isEqualTo("of a");
            }
        }
        for (Path above : List.of(data.resolve("stores"), data)) {
            try (Store store = Store.openReadOnly(above)) {
                assertThat(row(store.table("ks.a")).value("v")).isEqualTo("of a");
                assertThat(row(store.table("ks.b")).value("v")).isEqualTo("of b");
            }
        }
    }

    @Test
    void shouldRefuseAStoreThatIsOpenThoughItHasNoTable() throws IOException {
        Path directory = data.resolve("stores/one");
        try (Store store = Store.open(directory)) {
            assertThat(store.tables()).isEmpty();
            for (Path given : List.of(directory, directory.resolve("data"), directory.getParent())) {
                if (Files.exists(given)) {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> Store.openReadOnly(given))
                            .withMessageContainingAll("store is open", "pid=", "directory=" + directory);
                }
            }
        }
        try (Store store = Store.openReadOnly(directory)) {
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    void shouldRefuseADirectoryWithoutAnyTable() throws IOException {
        makeStore(data.resolve("store"), "a");
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> Store.openReadOnly(data.resolve("store/commitlog")))
                .withMessageContaining("no table is here");
    }

    @Test
    void shouldGiveNothingOnceClosed() throws IOException {
        write("a", "0", "first");
        Store store = Store.openReadOnly(data);
        Table table = store.table("ks.a");
        store.close();
        store.close();
        assertThatIllegalStateException().isThrownBy(() -> row(table)).withMessageContaining("store is closed");
    }
}
