package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A store of Anneal's in a temporary directory that closing removes, with one table of rows of 1 KiB. */
final class OwnStore implements Closeable {
    private static final String MEMTABLE_BYTES = "store.memtable-bytes";

    private final TemporaryDirectory directory;
    private final Store store;
    private final Table table;

    private OwnStore(TemporaryDirectory directory, Store store, Table table) {
        this.directory = directory;
        this.store = store;
        this.table = table;
    }

    static OwnStore open(StoreConfig config) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-store");
        try {
            Store store = Store.open(directory.path(), config);
            return new OwnStore(directory, store, store.createTable(TableShape.KILOBYTE_ROWS.schema()));
        } catch (IOException | RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    /** What its memtables occupy now; any thread. */
    long memtableBytes() {
        return store.metrics().get(MEMTABLE_BYTES).longValue();
    }

    /** Where its commit log lies. */
    Path commitLog() {
        return directory.path().resolve("commitlog");
    }

    Table table() {
        return table;
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            store.close();
        }
    }
}
