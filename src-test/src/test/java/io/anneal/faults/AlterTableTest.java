package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.SchemaException;
import io.anneal.schema.TableAlteration;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table is altered while it is used, and while the disk or the caller gives up. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlterTableTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";
    private static final StoreConfig SMALL =
            StoreConfig.defaults().withShardCount(2).withMemtableBudgetBytes(1 << 20);

    @TempDir
    private Path directory;

    static IntStream operations() {
        return IntStream.range(0, 40);
    }

    @Test
    void shouldTakeWritesAndReadsWhileColumnsComeAndGo() throws Exception {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < 3; writer++) {
                int first = writer * 1_000;
                writers.add(CompletableFuture.runAsync(() -> write(table, first, 300)));
            }
            for (int i = 0; i < 10; i++) {
                store.alterTable("ALTER TABLE ks.t ADD a" + i + " int, z map<int, int>");
                store.alterTable("ALTER TABLE ks.t DROP z");
                for (TableRow row : table.rows()) {
                    assertThat(row.value("v")).isEqualTo("value " + row.value("k"));
                }
            }
            writers.forEach(CompletableFuture::join);
            assertThat(count(table)).isEqualTo(900);
        }
        try (Store store = Store.open(directory, SMALL)) {
            assertThat(count(store.table("ks.t"))).isEqualTo(900);
        }
    }

    private static void write(Table table, int first, int count) {
        try {
            for (int k = first; k < first + count; k++) {
                table.row().key("k", k).set("v", "value " + k).insert();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static int count(Table table) throws IOException {
        int count = 0;
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                assertThat(row.value("v")).isEqualTo("value " + row.value("k"));
                count++;
            }
        }
        return count;
    }

    @Test
    void shouldGoOnReadingByTheSchemaThatTheReadBeganWith() throws Exception {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            write(table, 0, 10);
            try (TableRows rows = table.rows()) {
                assertThat(rows.next().values()).containsOnlyKeys("k", "v");

                store.alterTable("ALTER TABLE ks.t ADD a int");
                store.alterTable("ALTER TABLE ks.t DROP v");

                assertThat(rows.next().values()).containsOnlyKeys("k", "v");
            }
            assertThat(table.row(Map.of("k", 1)).orElseThrow().values()).containsOnlyKeys("k", "a");
        }
    }

    @ParameterizedTest(name = "operation={0}")
    @MethodSource("operations")
    void shouldHaveTheOldSchemaOrTheNewOneWhenThePowerIsCut(int operation) throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
            boolean altered = false;
            Store store = Store.open(disk.path(), SMALL);
            Table table = store.createTable(CREATE);
            write(table, 0, 20);
            disk.inject(Fault.on(Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.DELETE)
                    .after(operation)
                    .times(1)
                    .cuttingPower(operation));
            try {
                store.alterTable("ALTER TABLE ks.t ADD a int");
                altered = true;
                write(table, 20, 5);
            } catch (IOException | AssertionError e) {
                // The machine is gone.
            }
            try {
                store.close();
            } catch (IOException e) {
                // As before.
            }
            disk.heal();
            try (Store again = Store.open(disk.path(), SMALL)) {
                TableSchema schema = again.table("ks.t").schema();
                if (altered) {
                    assertThat(schema.column("a")).isPresent();
                }
                assertThat(count(again.table("ks.t"))).isGreaterThanOrEqualTo(20);
            }
        }
    }

    @Test
    void shouldChangeNothingWhenTheSchemaCannotBeWritten() throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(directory);
                Store store = Store.open(disk.path(), SMALL)) {
            Table table = store.createTable(CREATE);
            disk.inject(Fault.on(Operation.WRITE).named(name -> name.contains("schema.cql")));

            assertThatThrownBy(() -> store.alterTable("ALTER TABLE ks.t ADD a int"))
                    .isInstanceOf(IOException.class);

            disk.heal();
            write(table, 0, 3);
            assertThat(table.schema().column("a")).isEmpty();
            store.alterTable("ALTER TABLE ks.t ADD a int");
            assertThat(count(table)).isEqualTo(3);
        }
    }

    @Test
    void shouldChangeNothingWhenTheCallerIsInterrupted() throws Exception {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);

            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> store.alterTable("ALTER TABLE ks.t ADD a int"))
                    .isInstanceOf(InterruptedIOException.class);
            Thread.interrupted();

            assertThat(table.schema().column("a")).isEmpty();
            write(table, 0, 3);
            assertThat(count(table)).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseWhatAStoreCannotHoldAndChangeNothing() throws Exception {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            String before = Files.readString(table.snapshot("s").resolve("schema.cql"));
            for (String wrong : List.of(
                    "ALTER TABLE ks.t ADD v int",
                    "ALTER TABLE ks.t WITH cdc = true",
                    "ALTER TABLE ks.t WITH default_time_to_live = -1",
                    "ALTER TABLE ks.t WITH compression = {'class': 'Unknown'}")) {
                assertThatThrownBy(() -> store.alterTable(wrong)).isInstanceOf(SchemaException.class);
            }
            assertThatThrownBy(() -> store.alterTable("ALTER TABLE ks.none ADD v int"))
                    .isInstanceOf(IllegalArgumentException.class);
            store.alterTable("ALTER TABLE IF EXISTS ks.none ADD v int");
            assertThat(Files.readString(table.snapshot("t").resolve("schema.cql")))
                    .isEqualTo(before);
            store.alterTable(TableAlteration.of("ks.t").addColumn("a", "int").renameColumn("k", "id"));
            assertThat(table.schema().column("id")).isPresent();
        }
    }
}
