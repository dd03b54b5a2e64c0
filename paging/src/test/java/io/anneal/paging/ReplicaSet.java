package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Stores that hold the same table, by the names n0, n1 and so on; what is written to one is not written to the others. */
final class ReplicaSet implements Closeable {
    private final List<Store> stores = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final Map<String, PageSource> sources = new TreeMap<>();
    private final Queriers queriers;

    ReplicaSet(Path directory, int count, String cql, HostEnvironment environment) throws IOException {
        queriers = Queriers.open(QuerierLimits.DEFAULT, environment);
        for (int n = 0; n < count; n++) {
            Store store = Store.open(
                    directory.resolve("n" + n), StoreConfig.defaults().withShardCount(1 + n % 3), environment);
            stores.add(store);
            tables.add(store.createTable(cql));
            sources.put("n" + n, new Checked(queriers.pages("n" + n, tables.get(n))));
        }
    }

    Table table(int replica) {
        return tables.get(replica);
    }

    Map<String, PageSource> sources() {
        return new TreeMap<>(sources);
    }

    static List<String> rows(Iterable<TableRow> scan) {
        List<String> rows = new ArrayList<>();
        scan.forEach(row -> rows.add(row.toString()));
        return rows;
    }

    @Override
    public void close() throws IOException {
        queriers.close();
        for (Store store : stores) {
            store.close();
        }
    }

    /** A source whose pages are looked at as those of a peer. */
    private record Checked(PageSource whole) implements PageSource {
        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public TableSchema schema() {
            return whole.schema();
        }

        @Override
        public Page read(PageRequest request) throws IOException {
            Page page = whole.read(request);
            PageCheck check = new PageCheck(request, page.schema());
            for (ByteBuffer items : page.items()) {
                byte[] bytes = new byte[items.remaining()];
                items.duplicate().get(bytes);
                check.add(bytes, 0);
            }
            return check.conclude(new PageEnd(
                    page.stopReason(), page.rowCount(), page.tombstoneCount(), page.nowSeconds(), page.last()));
        }

        @Override
        public void forget(UUID queryId) {
            whole.forget(queryId);
        }
    }

    /** A source that something is done with before each page. */
    record Watched(PageSource whole, Before before) implements PageSource {
        @FunctionalInterface
        interface Before {
            void read(PageRequest request) throws IOException;
        }

        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public TableSchema schema() {
            return whole.schema();
        }

        @Override
        public Page read(PageRequest request) throws IOException {
            before.read(request);
            return whole.read(request);
        }

        @Override
        public void forget(UUID queryId) {
            whole.forget(queryId);
        }
    }
}
