package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.fragment.Mutation;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a live store, by column names and Java values. */
final class TableTest {
    private static final String ORDERS =
            "CREATE TABLE shop.orders (customer int, placed int, item text, tags set<text>,"
                    + " name text static, PRIMARY KEY (customer, placed))";

    @TempDir
    private Path directory;

    private volatile Instant now = Instant.ofEpochSecond(1_700_000_000);
    private Store store;

    @BeforeEach
    void openStore() throws IOException {
        StoreEnvironment system = StoreEnvironment.system();
        store = Store.open(
                directory.resolve("store"),
                StoreConfig.defaults().withShardCount(2),
                new StoreEnvironment(() -> now, system.nanoTime(), system.ids(), system.sleeper(), system.threads()));
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    private static void insert(Table table, int customer, int placed, String item) throws IOException {
        table.row()
                .key("customer", customer)
                .clustering("placed", placed)
                .set("item", item)
                .insert();
    }

    private static List<String> read(TableRows rows) throws IOException {
        List<String> read = new ArrayList<>();
        try (rows) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                read.add(row.value("customer") + "/" + row.value("placed") + " " + row.value("item"));
            }
        }
        return read;
    }

    @Test
    void shouldReadMemoryAndDiskAsOne() throws IOException {
        Table orders = store.createTable(ORDERS);
        for (int placed = 0; placed < 10; placed += 2) {
            insert(orders, 1, placed, "old");
        }
        orders.flush();
        insert(orders, 1, 4, "new");
        insert(orders, 1, 5, "new");
        orders.row().key("customer", 1).clustering("placed", 2).deleteRow();
        insert(orders, 2, 0, "new");

        List<String> all = List.of("1/0 old", "1/4 new", "1/5 new", "1/6 old", "1/8 old");
        assertThat(read(orders.partition(1))).isEqualTo(all);
        assertThat(read(orders.partition(RowRange.ALL.reversed().limit(2), 1))).containsExactly("1/8 old", "1/6 old");
        assertThat(read(orders.partition(RowRange.after(0).before(6), 1))).containsExactly("1/4 new", "1/5 new");
        assertThat(read(orders.rows())).hasSize(6).containsAll(all);
        assertThat(orders.row(Map.of("customer", 1, "placed", 2))).isEmpty();
        assertThat(orders.row(Map.of("customer", 1, "placed", 4)).orElseThrow().value("item"))
                .isEqualTo("new");
    }

    @Test
    void shouldApplyAMutationAsAWhole() throws IOException {
        Table orders = store.createTable(ORDERS);
        insert(orders, 1, 1, "gone");
        TableMutation mutation = orders.mutation();
        mutation.row().key("customer", 1).deletePartition();
        mutation.row().set("name", "Ada").update();
        mutation.row().clustering("placed", 2).set("tags", Set.of("a")).insert();
        mutation.row().clustering("placed", 2).add("tags", Set.of("b")).update();
        mutation.row().clustering("placed", 2).remove("tags", "a").update();
        assertThat(read(orders.partition(1))).containsExactly("1/1 gone");
        mutation.apply();

        TableRow row = orders.row(Map.of("customer", 1, "placed", 2)).orElseThrow();
        assertThat(row.value("tags")).isEqualTo(Set.of("b"));
        assertThat(row.value("name")).isEqualTo("Ada");
        assertThat(orders.row(Map.of("customer", 1)).orElseThrow().value("name"))
                .isEqualTo("Ada");
        assertThat(read(orders.partition(1))).containsExactly("1/2 null");
    }

    @Test
    void shouldApplyABuiltMutationAgain() throws IOException {
        Table orders = store.createTable(ORDERS);
        TableMutation mutation = orders.mutation();
        mutation.row()
                .key("customer", 1)
                .clustering("placed", 1)
                .set("item", "x")
                .insert();
        Mutation built = mutation.build();
        orders.apply(built);
        orders.applyAsync(built).join();
        assertThat(read(orders.partition(1))).containsExactly("1/1 x");
    }

    @Test
    void shouldLetValuesExpireByTheStoresClock() throws IOException {
        TableSchema schema = TableSchema.builder("shop", "carts")
                .partitionKey("customer", "int")
                .clustering("placed", "int")
                .column("item", "text")
                .options(TableOptions.DEFAULTS.withDefaultTimeToLiveSeconds(100))
                .build();
        Table carts = store.createTable(schema);
        insert(carts, 1, 1, "bread");
        carts.row()
                .key("customer", 1)
                .clustering("placed", 2)
                .set("item", "salt")
                .ttlSeconds(0)
                .insert();
        now = now.plusSeconds(99);
        assertThat(read(carts.rows())).containsExactly("1/1 bread", "1/2 salt");
        now = now.plusSeconds(1);
        assertThat(read(carts.rows())).containsExactly("1/2 salt");
    }

    /** Accepted, it would keep the table from ever being flushed. */
    @Test
    void shouldRefuseTimesThatItsSSTablesCannotHold() throws IOException {
        Table orders = store.createTable(ORDERS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.row()
                        .key("customer", 1)
                        .clustering("placed", 1)
                        .set("item", "x")
                        .ttlSeconds(WriteTime.TTL_MAX_SECONDS)
                        .insert())
                .withMessageContainingAll("table=shop.orders", "max=2147483646");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.rangeDeletion()
                        .key("customer", 1)
                        .localTimeSeconds(Integer.MAX_VALUE)
                        .delete());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.row()
                        .key("customer", 1)
                        .localTimeSeconds(Integer.MAX_VALUE)
                        .deletePartition());
        insert(orders, 1, 1, "x");
        orders.flush();
        assertThat(read(orders.rows())).containsExactly("1/1 x");
    }

    @Test
    void shouldGiveTheLaterWriteALaterTimestampThoughTheClockGoesBack() throws IOException {
        Table orders = store.createTable(ORDERS);
        insert(orders, 1, 1, "first");
        now = now.minusSeconds(3600);
        insert(orders, 1, 1, "second");
        assertThat(read(orders.rows())).containsExactly("1/1 second");
    }

    @Test
    void shouldReadImportedCountersAndRefuseToSetThem() throws IOException {
        Table hits = store.createTable("CREATE TABLE shop.hits (id int PRIMARY KEY, n counter)");
        Path foreign = directory.resolve("foreign");
        try (SSTableWriter writer = SSTableWriter.builder(hits.schema())
                .to(foreign)
                .timestampMicros(1)
                .unsorted(1 << 20)) {
            writer.row().key("id", 1).counterShard("n", new UUID(0, 1), 1, 40).update();
            writer.row().key("id", 1).counterShard("n", new UUID(0, 2), 1, 2).update();
            writer.finish();
        }
        assertThat(hits.importSSTables(foreign.resolve("shop/hits"))).isEqualTo(1);
        assertThat(hits.row(Map.of("id", 1)).orElseThrow().value("n")).isEqualTo(42L);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> hits.row().key("id", 1).set("n", 1L))
                .withMessageContaining("store takes no counters")
                .withMessageContaining("table=shop.hits, column=n");
    }

    @Test
    void shouldMakeATableOnlyOnce() throws IOException {
        Table orders = store.createTable(ORDERS);
        insert(orders, 1, 1, "x");
        assertThatIllegalStateException()
                .isThrownBy(() -> store.createTable(ORDERS))
                .withMessageContaining("table=shop.orders");
        Table again = store.createTable(ORDERS.replace("TABLE", "TABLE IF NOT EXISTS"));
        assertThat(again.schema()).isEqualTo(orders.schema());
        assertThat(read(again.rows())).hasSize(1);
        assertThat(store.tables()).hasSize(1);
    }

    @Test
    void shouldRefuseTablesItCannotHold() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> store.createTable(ORDERS + " WITH cdc = true"))
                .withMessageContaining("table=shop.orders");
        assertThat(store.tables()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.table("shop.orders"))
                .withMessageContaining("table=shop.orders");
    }

    @Test
    void shouldTakeUserTypesAndKeepThemOverARestart() throws IOException {
        Table people = store.createTable("CREATE TYPE shop.address (street text, number int);"
                + "CREATE TABLE shop.people (id int PRIMARY KEY, home address, past list<frozen<address>>)");
        Map<String, Object> home = Map.of("street", "Elm", "number", 7);
        people.row().key("id", 1).set("home", home).set("past", List.of(home)).insert();
        store.close();
        openStore();

        TableRow row = store.table("shop.people").row(Map.of("id", 1)).orElseThrow();
        assertThat(row.value("home")).isEqualTo(home);
        assertThat(row.value("past")).isEqualTo(List.of(home));
    }

    @Test
    void shouldRefuseEverythingOnceClosed() throws IOException {
        Table orders = store.createTable(ORDERS);
        RowBuilder begun = orders.row().key("customer", 1).clustering("placed", 1);
        store.close();
        assertThatIllegalStateException().isThrownBy(orders::row);
        assertThatIllegalStateException().isThrownBy(begun::insert);
        assertThatIllegalStateException().isThrownBy(() -> read(orders.rows()));
        assertThatIllegalStateException().isThrownBy(() -> orders.row(Map.of("customer", 1)));
        assertThatIllegalStateException().isThrownBy(() -> store.table("shop.orders"));
    }
}
