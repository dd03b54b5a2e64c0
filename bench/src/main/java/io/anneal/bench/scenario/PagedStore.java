package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Mutation;
import io.anneal.io.ByteWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** A store in a temporary directory that closing removes, with one table of short rows; it compacts when it is told to. */
final class PagedStore implements Closeable {
    static final TableShape SHAPE = TableShape.SMALL_ROWS;
    /** SSTables of each shard that hold rows of the same partitions. */
    static final int PARTS = 8;

    private static final int ROWS_PER_PARTITION = 40;
    static final int SHARDS = 4;
    private static final int OUTSTANDING_MAX = 1024;
    /** More than a memtable takes of it. */
    private static final long ROW_MAX_BYTES = 1024;

    private static final long MEMTABLES_MIN_BYTES = 64L << 20;

    private final TemporaryDirectory directory;
    private final Store store;
    private final Table table;

    private PagedStore(TemporaryDirectory directory, Store store, Table table) {
        this.directory = directory;
        this.store = store;
        this.table = table;
    }

    /** Partitions of very different sizes, with rows of each in several SSTables. */
    static PagedStore ofMixedPartitions(BenchConfig config, int shards) throws IOException {
        PagedStore made = empty(config, shards);
        try {
            for (int part = 0; part < PARTS; part++) {
                made.writePart(Math.max(1, config.rowCount() / ROWS_PER_PARTITION), part);
                made.table.flush();
            }
            return made;
        } catch (IOException | RuntimeException e) {
            try (made) {
                throw e;
            }
        }
    }

    /** One partition with its rows in so many SSTables. */
    static PagedStore ofOnePartition(BenchConfig config, int parts) throws IOException {
        PagedStore made = empty(config, 1);
        try (GeneratedTable drawn = GeneratedTable.writePartition(SHAPE, config.rowCount(), parts, config.version())) {
            made.table.importSSTables(drawn.directory().path());
            return made;
        } catch (IOException | RuntimeException e) {
            try (made) {
                throw e;
            }
        }
    }

    private static PagedStore empty(BenchConfig config, int shards) throws IOException {
        StoreConfig storeConfig = StoreConfig.defaults()
                .withShardCount(shards)
                .withSyncMode(SyncMode.PERIODIC)
                .withVersion(config.version())
                .withCompactionThreads(0)
                .withMemtableBudgetBytes(Math.max(MEMTABLES_MIN_BYTES, ROW_MAX_BYTES / PARTS * config.rowCount()));
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-paging");
        try {
            Store store = Store.open(directory.path(), storeConfig);
            return new PagedStore(directory, store, store.createTable(SHAPE.schema()));
        } catch (IOException | RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    private void writePart(long partitionCount, int part) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(SHAPE.schema(), CanonicalEncoder.UNCLAMPED);
        ByteWriter items = new ByteWriter(1 << 10);
        Deque<CompletableFuture<Void>> outstanding = new ArrayDeque<>();
        try (FragmentCursor cursor =
                GeneratedCursor.mixedPart(SHAPE, partitionCount, GeneratedTable.SEED, part, PARTS)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    encoder.row(cursor.key(), cursor.row(), items);
                } else if (kind == FragmentKind.PARTITION_END) {
                    outstanding.add(table.applyAsync(new Mutation(cursor.key().toDecoratedKey(), items.toByteArray())));
                    items.clear();
                    if (outstanding.size() > OUTSTANDING_MAX) {
                        outstanding.remove().join();
                    }
                }
            }
        }
        outstanding.forEach(CompletableFuture::join);
    }

    /** Closes the store for another process to open, and returns where it is until this is closed. */
    Path stop() throws IOException {
        store.close();
        return directory.path();
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
