package io.anneal.paging.querier;

import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import io.anneal.store.ShardReads;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Pages of a table in this process. Keeps queriers between the pages of a query, with those of other tables. Any thread. */
public final class QuerierPages implements PageSource, Closeable {
    /** An ALTER may come between two shards of a page, but not for ever. */
    private static final int TRIES = 4;

    private final String name;
    private final ShardReads reads;
    private final Queriers queriers;

    QuerierPages(String name, ShardReads reads, Queriers queriers) {
        this.name = name;
        this.reads = reads;
        this.queriers = queriers;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TableSchema schema() {
        return reads.schema();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException when the query does not fit the table, or the place not the query
     * @throws IllegalStateException when the table is closed
     */
    @Override
    public Page read(PageRequest request) throws IOException {
        for (int i = 1; ; i++) {
            try {
                return readOnce(request);
            } catch (SchemaChangedException altered) {
                if (i == TRIES) {
                    throw altered;
                }
            }
        }
    }

    private Page readOnce(PageRequest request) throws IOException {
        PageItems page = new PageItems(reads.schema(), request.limits());
        List<Stretch> stretches = Stretch.of(request);
        for (int i = 0; i < stretches.size(); i++) {
            Stretch stretch = stretches.get(i);
            try (MultishardReader reader = new MultishardReader(reads, stretch, page.schema(), request.nowSeconds())) {
                if (i == 0 && request.stateful() && request.after().isPresent()) {
                    resume(request, stretch, reader);
                }
                reader.read(page);
                boolean isLast = i == stretches.size() - 1 && reader.isExhausted();
                if (reader.place().isPresent() && !isLast) {
                    Page stopped = page.stopped(reader.place().get());
                    if (request.stateful()) {
                        keep(request, stretch, stopped, reader);
                    }
                    return stopped;
                }
            }
        }
        return page.exhausted();
    }

    private void resume(PageRequest request, Stretch stretch, MultishardReader reader) {
        for (int shard = 0; shard < reader.shardCount(); shard++) {
            Optional<ShardReader> kept =
                    queriers.take(new Querier.Key(this, request.queryId(), shard), stretch, request.nowSeconds());
            if (kept.isPresent()) {
                reader.resume(shard, kept.get());
            }
        }
    }

    private void keep(PageRequest request, Stretch stretch, Page page, MultishardReader reader) {
        for (int shard = 0; shard < reader.shardCount(); shard++) {
            Optional<ShardReader> released = reader.release(shard);
            if (released.isPresent()) {
                queriers.keep(
                        new Querier.Key(this, request.queryId(), shard),
                        released.get(),
                        stretch,
                        page.last().orElseThrow());
            }
        }
    }

    @Override
    public void forget(UUID queryId) {
        evict(querier -> querier.key().queryId().equals(queryId));
    }

    /** Closes some of the queriers that are kept for it. */
    void evict(Predicate<Querier> condition) {
        queriers.closeIf(querier -> querier.key().pages() == this && condition.test(querier));
    }

    /** Closes the queriers that are kept for it. The table is closed after that, by whoever opened it. */
    @Override
    public void close() {
        evict(querier -> true);
    }
}
