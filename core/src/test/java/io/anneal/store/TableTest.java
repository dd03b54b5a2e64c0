package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.table.StoreConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        store = Store.open(
                directory.resolve("store"),
                StoreConfig.defaults().withShardCount(2),
                HostEnvironment.system().withClock(() -> now));
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
    void shouldSayWhichTimeDoesNotFitAndWhatHoldsIt() throws IOException {
        Table orders = store.createTable(ORDERS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.row()
                        .key("customer", 1)
                        .clustering("placed", 1)
                        .set("item", "x")
                        .ttlSeconds(WriteTime.TTL_MAX_SECONDS)
                        .update())
                .withMessageStartingWith(
                        "mutation does not fit the table, table=shop.orders, reason=expiry or deletion is"
                                + " too late for the version of SSTables that is written: nb ends in 2038, oa and da later,")
                .withMessageContainingAll("max=2147483646", "ttlSeconds=630720000", "column=item")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("corrupt", "offset="));

        TableMutation stale = orders.mutation();
        stale.row().key("customer", 1).clustering("placed", 1).set("item", "x").update();
        Mutation built = stale.build();
        store.alterTable("ALTER TABLE shop.orders DROP item");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.apply(built))
                .withMessage("mutation does not fit the table, table=shop.orders, reason=column is not in the table any"
                        + " more, column=item");
    }

    @Test
    void shouldRefuseValuesThatWouldNotComeBack() throws IOException {
        Table table =
                store.createTable("CREATE TABLE shop.a (k int PRIMARY KEY, v text, m map<text, int>, u set<text>)");
        Map<String, Integer> hole = new HashMap<>();
        hole.put("x", null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.row().key("k", 1).set("v", "\ud800x"))
                .withMessageContaining("column=v")
                .withCauseInstanceOf(IllegalArgumentException.class)
                .havingRootCause()
                .isInstanceOf(InvalidValueException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.row().key("k", 1).set("u", Set.of("\ud800")))
                .withMessageContaining("column=u");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.row().key("k", 1).set("m", hole))
                .withMessageContainingAll("null where a value has to be", "column=m");
        table.row().key("k", 1).set("m", Map.of("x", 1, "y", 2)).insert();
        table.row().key("k", 1).add("m", hole).update();
        assertThat(table.row(Map.of("k", 1)).orElseThrow().value("m")).isEqualTo(Map.of("y", 2));
    }

    @Test
    void shouldSayWhatAnImportNeedsThatDoesNotFit() throws IOException {
        Table orders = store.createTable(ORDERS);
        Path foreign = ordersStampedAt(orders, now);
        assertThatIllegalArgumentException()
                .isThrownBy(orders::importSSTables)
                .withMessageContainingAll("no SSTables are named", "table=shop.orders");
        store.dropTable("shop.orders");
        Table other = store.createTable(ORDERS.replace("item text,", ""));
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> other.importSSTables(foreign))
                .withMessageContainingAll("add the columns that are missing", "column=item", "table=shop.orders");
        store.alterTable("ALTER TABLE shop.orders ADD item text");
        assertThat(other.importSSTables(foreign)).isEqualTo(1);
    }

    private static String logged(Attempt attempt) throws IOException {
        PrintStream usual = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            attempt.run();
        } finally {
            System.setErr(usual);
        }
        return log.toString(StandardCharsets.UTF_8);
    }

    private interface Attempt {
        void run() throws IOException;
    }

    @Test
    void shouldWarnOfAnImportThatIsOfAnotherTable() throws IOException {
        Table orders = store.createTable(ORDERS);
        insert(orders, 1, 1, "x");
        Path foreign = orders.snapshot("kept");
        Table other = store.createTable(ORDERS.replace("shop.orders", "shop.others"));
        assertThat(logged(() -> other.importSSTables(foreign)))
                .contains("imported SSTables are of another table")
                .contains("table=shop.others")
                .contains("described=shop.orders");
        assertThat(logged(() -> orders.importSSTables(foreign))).doesNotContain("another table");
    }

    @Test
    void shouldWarnOfTimestampsAheadOnlyWhereWritesAreHidden() throws IOException {
        Table orders = store.createTable(ORDERS);
        Path foreign = ordersStampedAt(orders, now);
        Instant then = now;
        now = now.minusSeconds(3 * 86_400);
        assertThat(logged(() -> orders.importSSTables(foreign))).contains("more than a day ahead of the clock");
        now = then.minusSeconds(3_600);
        assertThat(logged(() -> orders.importSSTables(foreign))).doesNotContain("ahead of the clock");
        insert(orders, 1, 1, "written");
        assertThat(orders.row(Map.of("customer", 1, "placed", 1)).orElseThrow().value("item"))
                .isEqualTo("written");
    }

    @Test
    void shouldGiveTheLaterWriteALaterTimestampThoughTheClockGoesBack() throws IOException {
        Table orders = store.createTable(ORDERS);
        insert(orders, 1, 1, "first");
        now = now.minusSeconds(3600);
        insert(orders, 1, 1, "second");
        assertThat(read(orders.rows())).containsExactly("1/1 second");
    }

    private Path ordersStampedAt(Table orders, Instant stamped) throws IOException {
        Path foreign = directory.resolve("foreign-" + stamped.getEpochSecond());
        try (SSTableWriter writer = SSTableWriter.builder(orders.schema())
                .to(foreign)
                .timestampMicros(TimeUnit.SECONDS.toMicros(stamped.getEpochSecond()))
                .unsorted(1 << 20)) {
            writer.row()
                    .key("customer", 1)
                    .clustering("placed", 1)
                    .set("item", "imported")
                    .insert();
            writer.finish();
        }
        return foreign.resolve("shop/orders");
    }

    @Test
    void shouldWriteAfterWhatItImportedThoughThatIsAhead() throws IOException {
        Table orders = store.createTable(ORDERS);
        orders.importSSTables(ordersStampedAt(orders, now.plusSeconds(3600)));
        insert(orders, 1, 1, "written");
        assertThat(read(orders.rows())).containsExactly("1/1 written");

        // The clock of an opening that wrote nothing is remembered as well.
        orders.importSSTables(ordersStampedAt(orders, now.plusSeconds(7200)));
        store.close();
        openStore();
        orders = store.table("shop.orders");
        assertThat(read(orders.rows())).containsExactly("1/1 imported");
        insert(orders, 1, 1, "written later");
        assertThat(read(orders.rows())).containsExactly("1/1 written later");
    }

    @Test
    void shouldNotFollowTimestampsThatNoClockGave() throws IOException {
        Table orders = store.createTable(ORDERS);
        orders.importSSTables(ordersStampedAt(orders, now.plusSeconds(3 * 86_400)));
        insert(orders, 1, 2, "written");
        TableRow row = orders.row(Map.of("customer", 1, "placed", 2)).orElseThrow();
        assertThat(row.writeTimeMicros("item").orElseThrow())
                .isLessThan(TimeUnit.SECONDS.toMicros(now.getEpochSecond() + 60));
        now = now.plusSeconds(4 * 86_400);
        insert(orders, 1, 1, "written");
        assertThat(read(orders.rows())).containsExactly("1/1 written", "1/2 written");
    }

    private static void assertRefused(Table table, DecoratedKey key, Row row, String facts) {
        Mutation mutation = Mutation.builder(table.schema(), key).row(row).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.apply(mutation))
                .withMessageContainingAll("mutation does not fit the table", facts);
    }

    private static DecoratedKey key(int... bytes) {
        byte[] key = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            key[i] = (byte) bytes[i];
        }
        return DecoratedKey.of(key);
    }

    private static Row live(byte[]... clustering) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(clustering));
        row.liveness(1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        return row;
    }

    @Test
    void shouldRefuseMutationsThatNobodyCouldRead() throws IOException {
        Table single = store.createTable("CREATE TABLE shop.a (k int PRIMARY KEY, v text)");
        Table composite = store.createTable("CREATE TABLE shop.b (k int, t text, v text, PRIMARY KEY ((k, t)))");
        assertRefused(single, key(), live(), "empty or too long");
        assertRefused(single, key(1, 2, 3), live(), "component 0 of the partition key is not of its type int");
        assertRefused(single, new DecoratedKey(5, new byte[4]), live(), "token is not the partition key's");
        assertRefused(composite, key(0, 4, 0, 0, 0, 7, 0), live(), "does not consist of its components");
        assertRefused(composite, key(0, 4, 0, 0, 0, 7, 0, 0, 1, 'x', 1), live(), "does not consist of its");
        assertRefused(composite, key(0, 4, 0, 0, 0, 7, 0, 0, 1, 'x', 0, 0), live(), "behind its components");
        assertRefused(composite, key(0, 4, 0, 0, 0, 7, 0, 0, 1, 0xFF, 0), live(), "not of its type text");
        Row wrongValue = live();
        wrongValue.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        wrongValue.value(new byte[] {(byte) 0xFF}, 0, 1);
        assertRefused(single, key(0, 0, 0, 7), wrongValue, "column=v, type=text");

        composite.apply(Mutation.builder(composite.schema(), key(0, 4, 0, 0, 0, 7, 0, 0, 0, 0))
                .row(live())
                .build());
        composite.row().key("k", 8).key("t", "x").insert();
        single.row().key("k", 7).insert();
        for (Table table : List.of(single, composite)) {
            try (TableRows rows = table.rows()) {
                while (rows.next() != null) {
                    continue;
                }
            }
        }
        assertThat(composite.row(Map.of("k", 7, "t", ""))).isPresent();
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        composite.row().key("k", 1).key("t", "t".repeat(65_530)).insert())
                .withMessageContainingAll("partition key is too long", "lengthBytes=65540", "lengthMaxBytes=65535");
        assertThat(store.failure()).isEmpty();
    }

    @Test
    void shouldRefuseMutationsThatAreTooLong() throws IOException {
        Table table = store.createTable("CREATE TABLE shop.a (k int, c int, v blob, PRIMARY KEY (k, c))");
        // One array many times over, so that no more than this is needed.
        byte[] large = new byte[64 << 20];
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).clustering("c", 0).set("v", large).insert();
        long whole = Mutation.LENGTH_MAX_BYTES;
        long most = Math.min(whole, Runtime.getRuntime().maxMemory() / 8);
        Row huge = live(new byte[4]);
        for (int i = 0; i < 40; i++) {
            huge.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            huge.value(large, 0, large.length);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> Mutation.builder(table.schema(), key(0, 0, 0, 1)).row(huge))
                .withMessageContainingAll(
                        "mutation is too large", "lengthBytes=" + 40L * large.length, "maxBytes=" + whole);
        Mutation tooLong = new Mutation(key(0, 0, 0, 1), new byte[Mutation.LENGTH_MAX_BYTES + 1]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.apply(tooLong))
                .withMessageContainingAll(
                        "mutation is too large", "shop.a", "withMutationMaxBytes", "maxBytes=" + most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.applyAsync(tooLong))
                .withMessageContaining("mutation is too large");
        assertThat(store.failure()).isEmpty();
        mutation.apply();
        assertThat(table.row(Map.of("k", 1, "c", 0))).isPresent();
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "system",
                "system_schema",
                "system_auth",
                "system_distributed",
                "system_traces",
                "system_views",
                "system_virtual_schema",
                "\"System\""
            })
    void shouldRefuseTablesOfCassandrasOwnKeyspaces(String keyspace) throws IOException {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> store.createTable("CREATE TABLE " + keyspace + ".t (id int PRIMARY KEY)"))
                .withMessageContaining("keyspace is one of Cassandra's own")
                .withMessageContaining("keyspace=" + keyspace.replace("\"", ""));
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> store.createTable(TableSchema.builder(keyspace.replace("\"", ""), "t")
                        .partitionKey("id", "int")
                        .build()));
        assertThat(store.tables()).isEmpty();
        assertThat(store.createTable("CREATE TABLE system_of_mine.t (id int PRIMARY KEY)"))
                .isNotNull();
    }

    @Test
    void shouldLookATableUpWithoutAWalk() throws IOException {
        Table orders = store.createTable(ORDERS);
        long alone = allocatedByLookUp();
        for (int i = 0; i < 60; i++) {
            store.createTable("CREATE TABLE shop.t" + i + " (id int PRIMARY KEY)");
        }
        assertThat(allocatedByLookUp()).isLessThanOrEqualTo(alone + 64);
        assertThat(store.table("shop.t7").schema().name()).isEqualTo("t7");
        store.dropTable("shop.orders");
        assertThat(store.findTable("shop.orders")).isEmpty();
        assertThat(store.createTable(ORDERS).schema().id())
                .isNotEqualTo(orders.schema().id());
        assertThat(store.findTable("shop.orders")).isPresent();
    }

    @Test
    void shouldShowMetricsOfTheTenLargestTables() throws IOException {
        for (int i = 10; i < 22; i++) {
            Table table = store.createTable("CREATE TABLE shop.t" + i + " (id int PRIMARY KEY, v text)");
            if (i == 21) {
                table.row().key("id", 1).set("v", "a").insert();
                table.flush();
            }
        }
        assertThat(store.metrics())
                .containsEntry("tables.flushes", 1L)
                .containsEntry("shop.t21.flushes", 1L)
                .containsKey("shop.t18.flushes")
                .doesNotContainKeys("shop.t19.flushes", "shop.t20.flushes");
        assertThat(store.metricsText()).contains("anneal_tables_sstables{", "table=\"shop.t21\"");
    }

    /** Bytes of one look-up, of many: a walk copies or streams all that there are. */
    private long allocatedByLookUp() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 1_000;
        for (int i = 0; i < calls; i++) {
            store.table("shop.orders");
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < calls; i++) {
            store.table("shop.orders");
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / calls;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TYPE shop.u (l list<int>); ALTER TABLE shop.orders ADD x u",
                "ALTER TABLE shop.orders ADD x set<duration>",
                "ALTER TABLE shop.orders ADD x list<counter>",
                "ALTER TABLE shop.orders ADD \"\" int",
                "ALTER TABLE shop.orders RENAME placed TO \"\"",
                "ALTER TABLE shop.orders WITH compaction = {}",
                "ALTER TABLE shop.orders WITH compression = {'class': 'LZ4Compressor', 'sstable_compression': 'LZ4Compressor'}"
            })
    void shouldRefuseTheSameWhenATableIsAltered(String statement) throws IOException {
        Table orders = store.createTable(ORDERS);
        TableSchema before = orders.schema();
        assertThatExceptionOfType(SchemaException.class).isThrownBy(() -> store.alterTable(statement));
        assertThat(orders.schema()).isEqualTo(before);
    }

    @Test
    void shouldDoEverythingWithTheLongestNames() throws IOException {
        String keyspace = "k".repeat(48);
        String name = "t".repeat(213);
        String create = "CREATE TABLE " + keyspace + "." + name + " (k int PRIMARY KEY, v text)";
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> store.createTable(create.replace(name, name + "t")))
                .withMessageContaining("lengthMax=213");
        Table table = store.createTable(create);
        table.row().key("k", 1).set("v", "kept").insert();
        table.flush();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.snapshot("s".repeat(248)))
                .withMessageContaining("lengthMax=247");
        Path snapshot = table.snapshot("s".repeat(247));
        table.truncate();
        table.importSSTables(snapshot);
        store.close();
        store = Store.open(directory.resolve("store"));
        assertThat(store.table(keyspace + "." + name).row(Map.of("k", 1))).isPresent();
        store.dropTable(keyspace + "." + name);
        assertThat(store.tables()).isEmpty();
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
