package io.anneal.paging.querier;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.RingPosition;
import io.anneal.store.ShardReads;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the paged reads of a process have in common: the queriers that are kept, and what bounds them. Safe for any thread. */
public final class Queriers implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Queriers.class);

    private final QuerierLimits limits;
    private final HostEnvironment environment;
    private final QuerierCache cache = new QuerierCache();

    private Queriers(QuerierLimits limits, HostEnvironment environment) {
        this.limits = limits;
        this.environment = environment;
    }

    public static Queriers open(QuerierLimits limits, HostEnvironment environment) {
        return new Queriers(limits, environment);
    }

    /**
     * Pages of a table.
     *
     * @param name for reports
     * @param reads must stay open until the pages are closed
     */
    public QuerierPages pages(String name, ShardReads reads) {
        return new QuerierPages(name, reads, this);
    }

    Optional<ShardReader> take(Querier.Key key, Stretch stretch, long nowSeconds) {
        Optional<Querier> found = cache.take(key);
        if (found.isPresent() && !found.get().fits(stretch, nowSeconds)) {
            close(found.get());
            return Optional.empty();
        }
        return found.map(Querier::reader);
    }

    void keep(Querier.Key key, ShardReader reader, Stretch stretch, RingPosition place) {
        Querier querier = new Querier(
                key,
                reader,
                stretch,
                place,
                reader.heldBytes(),
                environment.nanoTime().getAsLong());
        cache.add(querier).ifPresent(this::close);
        while (cache.heldBytes() > limits.bytes()) {
            cache.takeOldest().ifPresent(this::close);
        }
    }

    void closeIf(Predicate<Querier> condition) {
        cache.takeIf(condition).forEach(this::close);
    }

    private void close(Querier querier) {
        try {
            querier.reader().close();
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "querier did not close cleanly, table={}",
                    querier.key().pages().name(),
                    e);
        }
    }

    @Override
    public void close() {
        closeIf(querier -> true);
    }
}
