package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.StorageException;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableAlteration;
import io.anneal.store.RowRange;
import io.anneal.store.Store;
import io.anneal.store.StoreBatch;
import io.anneal.store.StoreSnapshot;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreListener;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of the store in {@code docs/embed.md}: they compile, they run, and the page quotes them as they stand here. */
class StoreSnippetsTest {
    private static final Instant PLACED = Instant.parse("2026-11-21T10:15:30Z");

    @TempDir
    private Path directory;

    private static void create(Path directory) throws IOException {
        // snippet: open
        StoreConfig config = StoreConfig.defaults().withShardCount(4).withSyncMode(SyncMode.GROUP);
        try (Store store = Store.open(directory, config)) {
            store.createTable("CREATE TABLE IF NOT EXISTS shop.orders (customer int, placed timestamp, item text,"
                    + " tags set<text>, name text static, PRIMARY KEY (customer, placed))");
        }
        // end
    }

    private static void write(Table orders, Instant placed) throws IOException {
        // snippet: write
        orders.row()
                .key("customer", 7)
                .clustering("placed", placed)
                .set("item", "bread")
                .set("tags", Set.of("fresh"))
                .insert();

        TableMutation mutation = orders.mutation();
        mutation.row().key("customer", 7).set("name", "Ada").update();
        mutation.row()
                .clustering("placed", placed.plusSeconds(60))
                .set("item", "salt")
                .ttlSeconds(3600)
                .insert();
        mutation.rangeDeletion()
                .to("placed", placed.minus(Duration.ofDays(365)), true)
                .delete();
        CompletableFuture<Void> written = mutation.applyAsync();
        // end
        written.join();
    }

    private static void writeTogether(Store store, Table orders, Instant placed) throws IOException {
        Table stock = store.createTable("CREATE TABLE shop.stock (item text PRIMARY KEY, count int)");
        // snippet: batch
        StoreBatch batch = store.batch();
        batch.row(orders)
                .key("customer", 8)
                .clustering("placed", placed)
                .set("item", "bread")
                .insert();
        batch.row(stock).key("item", "bread").set("count", 11).update();
        batch.apply();
        // end
    }

    private static List<String> readMany(Table orders, Instant placed) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: many
        List<Optional<TableRow>> rows =
                orders.rows(List.of(Map.of("customer", 8, "placed", placed), Map.of("customer", 9, "placed", placed)));
        CompletableFuture<Optional<TableRow>> later = orders.rowAsync(Map.of("customer", 8, "placed", placed));
        // end
        rows.forEach(row -> lines.add(row.map(found -> found.getString("item")).orElse("none")));
        lines.add(later.join().orElseThrow().getString("item"));
        return lines;
    }

    private static List<String> keepAll(Store store) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: snapshots
        store.snapshot("monday");
        for (StoreSnapshot snapshot : store.snapshots()) {
            lines.add(snapshot.name() + " of " + snapshot.tables());
        }
        store.deleteSnapshot("monday");
        // end
        return lines;
    }

    private static Store openWithListener(Path directory, List<String> alarms) throws IOException {
        // snippet: listener
        StoreListener listener = new StoreListener() {
            @Override
            public void writesStopped(StorageException reason) {
                alarms.add("open the store again: " + reason.getMessage());
            }

            @Override
            public void compactionFailed(String table, Throwable reason) {
                alarms.add(table + " grows: " + reason.getMessage());
            }
        };
        Store store = Store.open(directory, StoreConfig.defaults().withListener(listener));
        // end
        return store;
    }

    private static List<String> read(Table orders, Instant placed) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: read
        Optional<TableRow> one = orders.row(Map.of("customer", 7, "placed", placed));
        one.ifPresent(row -> lines.add(row.getString("name") + " bought " + row.getString("item")));

        RowRange latest = RowRange.ALL.reversed().limit(10);
        try (TableRows rows = orders.partition(latest, 7)) {
            for (TableRow row : rows) {
                lines.add(row.getInstant("placed") + " " + row.getString("item"));
            }
        }
        // end
        return lines;
    }

    private static long count(Table orders) throws IOException {
        long count = 0;
        // snippet: fragments
        try (FragmentCursor cursor = orders.scan(TokenRange.Linear.ALL)) {
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                    count++;
                }
            }
        }
        // end
        return count;
    }

    private static Path keep(Table orders) throws IOException {
        // snippet: care
        orders.flush();
        orders.compact();
        Path snapshot = orders.snapshot("before-the-sale");
        orders.truncate();
        orders.importSSTables(snapshot);
        // end
        return snapshot;
    }

    private static void alter(Store store) throws IOException {
        // snippet: alter
        store.alterTable("ALTER TABLE shop.orders ADD price decimal, currency text static");
        store.alterTable(TableAlteration.of("shop.orders")
                .addColumn("note", "text")
                .dropColumn("price")
                .options(options -> options.withDefaultTimeToLiveSeconds(86_400)));
        // end
    }

    @Test
    void shouldAlterTheTable() throws IOException {
        create(directory);
        // The page says that what is there is taken up.
        create(directory);
        try (Store store = Store.open(directory)) {
            Table orders = store.table("shop.orders");
            alter(store);
            assertThat(orders.schema().column("note")).isPresent();
            assertThat(orders.schema().column("price").orElseThrow().dropped()).isTrue();
        }
    }

    private static List<String> readSnapshot(Path snapshot) throws IOException {
        List<String> names = new ArrayList<>();
        // snippet: readonly
        try (Store store = Store.openReadOnly(snapshot)) {
            for (Table table : store.tables()) {
                names.add(table.schema().qualifiedName());
            }
        }
        // end
        return names;
    }

    @Test
    void shouldWriteReadKeepAndReadAgain() throws IOException {
        create(directory);
        List<String> expected = List.of("Ada bought bread", "2026-11-21T10:16:30Z salt", "2026-11-21T10:15:30Z bread");
        Path snapshot;
        try (Store store = Store.open(directory)) {
            Table orders = store.table("shop.orders");
            write(orders, PLACED);
            assertThat(read(orders, PLACED)).isEqualTo(expected);
            snapshot = keep(orders);
            assertThat(read(orders, PLACED)).isEqualTo(expected);
            assertThat(count(orders)).isEqualTo(2);
        }
        try (Store store = Store.open(directory)) {
            assertThat(read(store.table("shop.orders"), PLACED)).isEqualTo(expected);
        }
        assertThat(readSnapshot(snapshot)).containsExactly("shop.orders");
    }

    @Test
    void shouldWriteAndReadSeveralAtOnceAndKeepAll() throws IOException {
        create(directory);
        List<String> alarms = new ArrayList<>();
        try (Store store = openWithListener(directory, alarms)) {
            Table orders = store.table("shop.orders");
            writeTogether(store, orders, PLACED);
            assertThat(store.table("shop.stock").row(Map.of("item", "bread"))).isPresent();
            assertThat(readMany(orders, PLACED)).containsExactly("bread", "none", "bread");
            assertThat(keepAll(store)).containsExactly("monday of [shop.orders, shop.stock]");
            assertThat(store.snapshots()).isEmpty();
        }
        assertThat(alarms).isEmpty();
    }

    @Test
    void shouldBeQuotedByThePage() throws IOException {
        Snippets.assertQuoted(StoreSnippetsTest.class, "embed.md", 11);
    }
}
