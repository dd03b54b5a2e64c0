package io.anneal.harness.store;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/**
 * Partitions in an embedded store, table {@code migrate.items}. A write's stage completes when the write lasts as the store's
 * sync mode says; reads run on the thread that asks, so that their stages are complete. A write that fails with a
 * {@link io.anneal.io.StorageException} may last or not.
 */
public final class EmbeddedPartitionDao implements PartitionDao, TimedPartitions, ListedPartitions {
    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS migrate.items" + " (a bigint, b text, c text, d text, PRIMARY KEY (a, b, c))";

    private final Store store;
    private final Table table;
    private final WriteClock clock;
    /** Where writes' stages complete: whatever follows may wait for a store, which the store's own threads must not. */
    private final ExecutorService completions;

    private final String identity;

    private EmbeddedPartitionDao(
            Store store, Table table, WriteClock clock, ExecutorService completions, String identity) {
        this.store = store;
        this.table = table;
        this.clock = clock;
        this.completions = completions;
        this.identity = identity;
    }

    /** Opens the store of a directory, or makes one there. */
    public static EmbeddedPartitionDao open(Path directory) throws IOException {
        return open(directory, HostEnvironment.system());
    }

    static EmbeddedPartitionDao open(Path directory, HostEnvironment environment) throws IOException {
        return open(directory, StoreConfig.defaults(), environment);
    }

    /** Opens the store of a directory, or makes one there. */
    public static EmbeddedPartitionDao open(Path directory, StoreConfig config, HostEnvironment environment)
            throws IOException {
        Store store = Store.open(directory, config, environment);
        boolean opened = false;
        try {
            Table table = store.createTable(TABLE);
            EmbeddedPartitionDao dao = new EmbeddedPartitionDao(
                    store,
                    table,
                    new WriteClock(environment.clock()),
                    environment.threads().single("dao-completions"),
                    "embedded:" + directory.toRealPath());
            opened = true;
            return dao;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** The store, closed with this DAO: for copies in bulk, and for a {@link EmbeddedPhaseMark}. */
    public Store store() {
        return store;
    }

    /** The items' table. */
    public Table table() {
        return table;
    }

    @Override
    public Collection<Long> keys() {
        Set<Long> keys = new LinkedHashSet<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.getLong("a"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return keys;
    }

    @Override
    public CompletionStage<Partition> read(long a) {
        return rows(a, row -> new Item(row.getString("b"), row.getString("c"), value(row)))
                .thenApply(items -> items.isEmpty() ? null : new Partition(a, items));
    }

    @Override
    public CompletionStage<List<TimedItem>> readTimed(long a) {
        return rows(
                a,
                row -> new TimedItem(
                        row.getString("b"),
                        row.getString("c"),
                        value(row),
                        row.writeTimeMicros("d").getAsLong(),
                        row.expirySeconds("d").orElse(TimedItem.NEVER)));
    }

    private <T> CompletableFuture<List<T>> rows(long a, Function<TableRow, T> map) {
        List<T> items = new ArrayList<>();
        try (TableRows rows = table.partition(a)) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                if (value(row) != null) {
                    items.add(map.apply(row));
                }
            }
        } catch (IOException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.completedFuture(items);
    }

    private static String value(TableRow row) {
        return row.getString("d");
    }

    @Override
    public CompletionStage<Void> write(long a, List<Item> items) {
        return items.isEmpty() ? done() : apply(mutation -> set(mutation, a, items, clock.micros()));
    }

    @Override
    public CompletionStage<Void> replace(long a, List<Item> items) {
        long micros = clock.micros();
        return apply(mutation -> {
            mutation.row().key("a", a).timestampMicros(micros - 1).deletePartition();
            set(mutation, a, items, micros);
        });
    }

    /** A row is its value: it has no marker of its own, whose time nobody could read and copy. */
    private static void set(TableMutation mutation, long a, List<Item> items, long micros) throws IOException {
        for (Item item : items) {
            mutation.row()
                    .key("a", a)
                    .clustering("b", item.b())
                    .clustering("c", item.c())
                    .timestampMicros(micros)
                    .set("d", item.d())
                    .update();
        }
    }

    @Override
    public CompletionStage<Void> delete(long a) {
        long micros = clock.micros();
        return apply(
                mutation -> mutation.row().key("a", a).timestampMicros(micros).deletePartition());
    }

    @Override
    public CompletionStage<Void> deleteItem(long a, String b, String c) {
        long micros = clock.micros();
        return apply(mutation -> deleteRow(mutation, a, b, c, micros));
    }

    private static void deleteRow(TableMutation mutation, long a, String b, String c, long micros) throws IOException {
        mutation.row()
                .key("a", a)
                .clustering("b", b)
                .clustering("c", c)
                .timestampMicros(micros)
                .deleteRow();
    }

    @Override
    public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
        long nowSeconds = clock.nowSeconds();
        List<TimedItem> living = items.stream()
                .filter(item -> item.expiresAtSeconds() == TimedItem.NEVER || item.expiresAtSeconds() > nowSeconds)
                .toList();
        return living.isEmpty()
                ? done()
                : apply(mutation -> {
                    for (TimedItem item : living) {
                        setTimed(mutation, a, item, nowSeconds);
                    }
                });
    }

    private static void setTimed(TableMutation mutation, long a, TimedItem item, long nowSeconds) throws IOException {
        var row = mutation.row()
                .key("a", a)
                .clustering("b", item.b())
                .clustering("c", item.c())
                .timestampMicros(item.writeTimeMicros())
                .localTimeSeconds(nowSeconds)
                .set("d", item.d());
        if (item.expiresAtSeconds() != TimedItem.NEVER) {
            row.ttlSeconds(Math.toIntExact(item.expiresAtSeconds() - nowSeconds));
        }
        row.update();
    }

    @Override
    public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
        return seen.isEmpty()
                ? done()
                : apply(mutation -> {
                    for (TimedItem item : seen) {
                        deleteRow(mutation, a, item.b(), item.c(), item.writeTimeMicros());
                    }
                });
    }

    /** Fills a mutation in. */
    private interface Filling {
        void fill(TableMutation mutation) throws IOException;
    }

    private CompletionStage<Void> apply(Filling filling) {
        try {
            TableMutation mutation = table.mutation();
            filling.fill(mutation);
            return mutation.applyAsync().thenApplyAsync(Function.identity(), completions);
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public void close() {
        try {
            store.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            completions.shutdown();
        }
    }
}
