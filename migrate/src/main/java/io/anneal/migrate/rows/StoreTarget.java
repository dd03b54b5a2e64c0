package io.anneal.migrate.rows;

import io.anneal.fragment.Mutation;
import io.anneal.fragment.Row;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A table in an open embedded store. Times of writing, TTLs and expiries arrive as they were, cells of collections too. The store
 * stays its opener's. Any thread.
 *
 * <p>A back-fill must take less time for a range than the table's {@code gc_grace_seconds}: what is deleted meanwhile, on both sides,
 * is remembered here for so long and hides the copy that comes late.
 */
public final class StoreTarget implements BulkTarget<RowEntry> {
    private final Path directory;
    private final Table table;
    private final RowTable rows;
    private final InstantSource clock;
    private final boolean flushing;

    private StoreTarget(Path directory, Table table, InstantSource clock, boolean flushing) {
        this.directory = directory;
        this.table = table;
        this.clock = clock;
        this.flushing = flushing;
        rows = RowTable.of(table.schema());
    }

    /**
     * Takes a table of a store that syncs its log before it acknowledges, as stores do unless told.
     *
     * @param qualifiedName keyspace, dot, table
     * @param clock when deletions are made
     */
    public static StoreTarget of(Store store, String qualifiedName, InstantSource clock) {
        return new StoreTarget(store.directory(), store.table(qualifiedName), clock, false);
    }

    /** The same of a store that acknowledges earlier: it is flushed at the end of each range. */
    public static StoreTarget flushing(Store store, String qualifiedName, InstantSource clock) {
        return new StoreTarget(store.directory(), store.table(qualifiedName), clock, true);
    }

    @Override
    public String identity() {
        return StoreSource.identity(directory, table);
    }

    @Override
    public String shape() {
        return rows.shape();
    }

    @Override
    public CompletionStage<Void> write(RowEntry entry) {
        return apply(entry, entry.row());
    }

    @Override
    public CompletionStage<Void> remove(RowEntry there, Optional<RowEntry> kept) {
        Row removal = RowRemoval.of(there, kept, clock.instant().getEpochSecond());
        return removal.isEmpty() ? CompletableFuture.completedFuture(null) : apply(there, removal);
    }

    private CompletionStage<Void> apply(RowEntry entry, Row row) {
        Mutation mutation = Mutation.builder(table.schema(), entry.partition())
                .row(rows.stored(row))
                .build();
        return table.applyAsync(mutation);
    }

    @Override
    public void finish(BulkRange range) throws IOException {
        if (flushing) {
            table.flush();
        }
    }

    @Override
    public void close() {
        // The store is not ours.
    }
}
