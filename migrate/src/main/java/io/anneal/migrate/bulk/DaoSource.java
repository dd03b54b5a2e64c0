package io.anneal.migrate.bulk;

import io.anneal.key.DecoratedKey;
import io.anneal.migrate.store.PartitionDao;
import io.anneal.migrate.store.TimedItem;
import io.anneal.migrate.store.TimedPartitions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The example of a source over a DAO of the caller's own: partitions of items, read through {@link TimedPartitions} key by key. What a
 * DAO does not tell is which keys there are; the caller says that. Keys stand at their tokens, so that entries are in the order of any other
 * store of the same items, and can be compared with it. Another DAO's source would make a {@link BulkEntry} of its own objects
 * instead. Any thread, if the DAO and the keys allow it.
 */
public final class DaoSource implements BulkSource<RowEntry> {
    private static final int RANGES_MAX = 16;

    private final String identity;
    private final TimedPartitions dao;
    private final Supplier<? extends Collection<Long>> keys;
    private final InstantSource clock;

    private DaoSource(
            String identity, TimedPartitions dao, Supplier<? extends Collection<Long>> keys, InstantSource clock) {
        this.identity = identity;
        this.dao = dao;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Takes a DAO that tells write times.
     *
     * @param keys all that may be there by now, asked for at each range; one that is not there does no harm
     * @throws IllegalArgumentException when the DAO is no {@link TimedPartitions}
     */
    public static DaoSource of(PartitionDao dao, Supplier<? extends Collection<Long>> keys, InstantSource clock) {
        return new DaoSource(dao.identity(), timed(dao), keys, clock);
    }

    static TimedPartitions timed(PartitionDao dao) {
        if (dao instanceof TimedPartitions timed) {
            return timed;
        }
        throw new IllegalArgumentException(
                "a DAO that does not tell and take write times can't be copied in bulk: a copy could"
                        + " overwrite what is newer; implement " + TimedPartitions.class.getSimpleName() + ", dao="
                        + dao.identity());
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
    public List<BulkRange> ranges(int count) {
        // Each range that is opened looks at all keys.
        return BulkRange.ALL.split(Math.min(count, RANGES_MAX));
    }

    @Override
    public BulkCursor<RowEntry> open(BulkRange range) {
        Iterator<DecoratedKey> inRange = keys.get().stream()
                .map(ItemRows::key)
                .filter(key -> range.contains(key.token()))
                .sorted()
                .distinct()
                .iterator();
        Deque<RowEntry> partition = new ArrayDeque<>();
        return new BulkCursor<>() {
            @Override
            public RowEntry next() throws IOException {
                while (partition.isEmpty() && inRange.hasNext()) {
                    partition.addAll(read(inRange.next()));
                }
                return partition.poll();
            }

            @Override
            public void close() {
                partition.clear();
            }
        };
    }

    private List<RowEntry> read(DecoratedKey key) throws IOException {
        long nowSeconds = clock.instant().getEpochSecond();
        return await(dao.readTimed(ItemRows.key(key)), key).stream()
                .map(item -> ItemRows.entry(key, item, nowSeconds))
                .sorted(order())
                .toList();
    }

    private List<TimedItem> await(CompletionStage<List<TimedItem>> asked, DecoratedKey key) throws IOException {
        try {
            return asked.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw new IOException(
                    "partition can't be read, from=" + identity + ", a=" + ItemRows.key(key) + ", reason="
                            + e.getCause().getMessage(),
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a partition was read, from=" + identity);
        }
    }

    @Override
    public Comparator<? super RowEntry> order() {
        return ItemRows.TABLE.order();
    }

    @Override
    public Optional<RowEntry> reread(RowEntry like) throws IOException {
        return read(like.partition()).stream()
                .filter(entry -> ItemRows.TABLE.order().compare(entry, like) == 0)
                .findFirst();
    }

    @Override
    public void close() {
        // The DAO is not ours.
    }
}
