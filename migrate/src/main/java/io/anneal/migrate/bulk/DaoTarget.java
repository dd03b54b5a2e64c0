package io.anneal.migrate.bulk;

import io.anneal.migrate.store.PartitionDao;
import io.anneal.migrate.store.TimedItem;
import io.anneal.migrate.store.TimedPartitions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The example of a target over a DAO of the caller's own, beside {@link DaoSource}. Any thread, if the DAO allows it. */
public final class DaoTarget implements BulkTarget<RowEntry> {
    private final String identity;
    private final TimedPartitions dao;

    private DaoTarget(String identity, TimedPartitions dao) {
        this.identity = identity;
        this.dao = dao;
    }

    /**
     * Takes a DAO that takes write times.
     *
     * @throws IllegalArgumentException when the DAO is no {@link TimedPartitions}
     */
    public static DaoTarget of(PartitionDao dao) {
        return new DaoTarget(dao.identity(), DaoSource.timed(dao));
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public String shape() {
        return ItemRows.TABLE.shape();
    }

    @Override
    public CompletionStage<Void> write(RowEntry entry) {
        Optional<TimedItem> item = ItemRows.item(entry);
        return item.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : dao.writeTimed(ItemRows.key(entry.partition()), List.of(item.get()));
    }

    /** An item is one value: where both sides have one, nothing is too much. */
    @Override
    public CompletionStage<Void> remove(RowEntry there, Optional<RowEntry> kept) {
        Optional<TimedItem> item = ItemRows.item(there);
        return item.isEmpty() || kept.isPresent()
                ? CompletableFuture.completedFuture(null)
                : dao.deleteTimed(ItemRows.key(there.partition()), List.of(item.get()));
    }

    @Override
    public void finish(BulkRange range) {
        // A DAO's writes last when they are acknowledged.
    }

    @Override
    public void close() {
        // The DAO is not ours.
    }
}
