package io.anneal.paging;

import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A store of one table: 30 partitions of 0 to 9 rows, a third of them with a static value. */
final class OrdersTable implements Closeable {
    static final int CUSTOMERS = 10;
    static final int SHOPS = 3;

    private final Store store;
    private final Table table;

    OrdersTable(Path directory) throws IOException {
        store = Store.open(directory, StoreConfig.defaults().withShardCount(3));
        table = store.createTable(
                "CREATE TABLE shop.orders (customer int, shop text, day int, item int, price int,"
                        + " name text static, PRIMARY KEY ((customer, shop), day, item)) WITH CLUSTERING ORDER BY (day ASC, item DESC)");
        for (int customer = 0; customer < CUSTOMERS; customer++) {
            for (int shop = 0; shop < SHOPS; shop++) {
                write(customer, "s" + shop);
            }
        }
        store.flush();
    }

    private void write(int customer, String shop) throws IOException {
        if (shop.equals("s1")) {
            table.row()
                    .key("customer", customer)
                    .key("shop", shop)
                    .set("name", "n" + customer % 2)
                    .update();
        }
        for (int i = 0; i < customer; i++) {
            table.row()
                    .key("customer", customer)
                    .key("shop", shop)
                    .clustering("day", i / 3)
                    .clustering("item", i % 3)
                    .set("price", 10 * i)
                    .insert();
        }
    }

    Store store() {
        return store;
    }

    Table table() {
        return table;
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
