package io.anneal.paging.querier;

import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Pages of a table in this process, or of several replicas that are merged here. Keeps queriers between the pages of a query, with those
 * of other tables. Any thread.
 */
public final class QuerierPages implements PageSource, Closeable {
    /** An ALTER may come between two shards of a page, but not for ever. */
    private static final int TRIES = 4;

    private final String name;
    private final Cursors cursors;
    private final Queriers queriers;

    QuerierPages(String name, Cursors cursors, Queriers queriers) {
        this.name = name;
        this.cursors = cursors;
        this.queriers = queriers;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TableSchema schema() {
        return cursors.schema();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException when the query does not fit the table, or the place not the query
     * @throws IllegalStateException when the table is closed, or the queriers are
     * @throws ReadTimeoutException when others were being read for as long as the page was patient
     * @throws java.io.InterruptedIOException when the thread was interrupted while it waited for them, which it stays
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
        try (ReadSemaphore.Permit permit = queriers.acquire(name)) {
            // Behind the wait: they may be closed meanwhile.
            queriers.requireOpen(name);
            return new PageRead(this, cursors, queriers, request, permit).read();
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
