package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.node.Ring;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.PageSource;
import io.anneal.store.ShardReads;
import java.io.Closeable;
import java.util.Map;
import java.util.Objects;

/**
 * Paged reads in a process: opens tables for them, and keeps the queriers that wait for their next page. Safe for any thread.
 *
 * <pre>{@code
 * try (Paging paging = Paging.open()) {
 *     PagedTable orders = paging.table(store.table("shop.orders"));
 *     for (TableRow row : orders.scan().where("item", "=", "bread")) {
 *         total += row.getInt("price");
 *     }
 * }
 * }</pre>
 */
public final class Paging implements Closeable {
    private final Queriers queriers;
    private final HostEnvironment environment;

    private Paging(Queriers queriers, HostEnvironment environment) {
        this.queriers = queriers;
        this.environment = environment;
    }

    public static Paging open() {
        return open(QuerierLimits.DEFAULT, HostEnvironment.system());
    }

    public static Paging open(QuerierLimits limits, HostEnvironment environment) {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(environment, "environment");
        return new Paging(Queriers.open(limits, environment), environment);
    }

    /** @param metrics closed by its owner */
    public static Paging open(QuerierLimits limits, HostEnvironment environment, PagingMetrics metrics) {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(metrics, "metrics");
        return new Paging(Queriers.open(limits, environment, metrics), environment);
    }

    /**
     * A table of a store, or the SSTables of a directory.
     *
     * @param reads closed by its owner, after this object
     * @throws IllegalStateException when this object is closed
     */
    public PagedTable table(ShardReads reads) {
        Objects.requireNonNull(reads, "reads");
        return table(queriers.pages(reads.schema().qualifiedName(), reads));
    }

    /**
     * A replica of a table, wherever it is.
     *
     * @throws IllegalStateException when this object is closed
     */
    public PagedTable table(PageSource replica) {
        Objects.requireNonNull(replica, "replica");
        queriers.requireOpen(replica.schema().qualifiedName());
        return new PagedTable(new ReplicaPager(replica, queriers), environment);
    }

    /**
     * A table whose ranges several replicas own: each is read from as many of its owners as the consistency asks for, and from others when
     * one of them fails.
     *
     * @param replicas by their names in the ring; the others are not asked
     * @throws IllegalStateException when this object is closed
     */
    public PagedTable table(Ring ring, Map<String, PageSource> replicas, Consistency consistency) {
        Objects.requireNonNull(ring, "ring");
        Objects.requireNonNull(replicas, "replicas");
        Objects.requireNonNull(consistency, "consistency");
        RingPager pager = new RingPager(ring, replicas, consistency, queriers);
        queriers.requireOpen(pager.schema().qualifiedName());
        return new PagedTable(pager, environment);
    }

    /**
     * Closes the queriers that are kept. Tables stay open; they are not paged any more: each reading of one ends with an {@link
     * IllegalStateException} where it needs its next page.
     */
    @Override
    public void close() {
        queriers.close();
    }
}
