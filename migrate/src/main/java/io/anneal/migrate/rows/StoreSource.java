package io.anneal.migrate.rows;

import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The rows of a table in an open embedded store, each range as it is when it is opened. The store stays its opener's, who closes it
 * afterwards. Any thread.
 */
public final class StoreSource implements BulkSource<RowEntry> {
    private final Path directory;
    private final Table table;
    private final RowTable rows;
    private final InstantSource clock;

    private StoreSource(Path directory, Table table, InstantSource clock) {
        this.directory = directory;
        this.table = table;
        this.clock = clock;
        rows = RowTable.of(table.schema());
    }

    /**
     * Takes a table of a store.
     *
     * @param qualifiedName keyspace, dot, table
     * @param clock decides what has expired
     * @throws IllegalArgumentException when the store has no such table
     */
    public static StoreSource of(Store store, String qualifiedName, InstantSource clock) {
        return new StoreSource(store.directory(), store.table(qualifiedName), clock);
    }

    @Override
    public String identity() {
        return identity(directory, table);
    }

    static String identity(Path directory, Table table) {
        return "embedded:" + directory.toAbsolutePath().normalize() + " "
                + table.schema().qualifiedName();
    }

    @Override
    public String shape() {
        return rows.shape();
    }

    @Override
    public List<BulkRange> ranges(int count) {
        return BulkRange.ALL.split(count);
    }

    @Override
    public BulkCursor<RowEntry> open(BulkRange range) throws IOException {
        return new StoredRows(rows, table.scan(StoredRows.tokens(range)), nowSeconds());
    }

    private long nowSeconds() {
        return clock.instant().getEpochSecond();
    }

    @Override
    public Comparator<? super RowEntry> order() {
        return rows.order();
    }

    @Override
    public Optional<RowEntry> reread(RowEntry like) throws IOException {
        try (StoredRows found =
                new StoredRows(rows, table.read(like.partition(), StoredRows.slices(like), false), nowSeconds())) {
            return found.find(like);
        }
    }

    @Override
    public void close() {
        // The store is not ours.
    }
}
