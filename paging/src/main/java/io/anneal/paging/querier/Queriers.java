package io.anneal.paging.querier;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.RingPosition;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import io.anneal.store.ShardReads;
import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the paged reads of a process have in common: the queriers that are kept, and what bounds them. A thread of its own, from the first
 * querier on, closes those that nobody comes back for. Safe for any thread.
 */
public final class Queriers implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Queriers.class);
    /** How often what waits is looked at while it waits as long as it may. */
    private static final int SWEEPS = 4;

    /** Replicas that are asked at once, beside those that pages ask by themselves: their threads only wait. */
    private static final int ASKED_MOST = 32;

    private static final long SWEEP_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final QuerierLimits limits;
    private final HostEnvironment environment;
    private final PagingMetrics metrics;
    private final ReadSemaphore semaphore;
    private final ReadAhead readAhead;
    private final ReadAhead asking;
    private final QuerierCache cache = new QuerierCache();
    private ScheduledExecutorService sweeper;
    private boolean isClosed;

    private Queriers(QuerierLimits limits, HostEnvironment environment, PagingMetrics metrics) {
        this.limits = limits;
        this.environment = environment;
        this.metrics = metrics;
        semaphore = new ReadSemaphore(limits, environment.nanoTime());
        readAhead = new ReadAhead(limits.readAheads(), semaphore::reads, environment.threads());
        asking = new ReadAhead(ASKED_MOST, () -> 0, environment.threads());
        metrics.population(cache::size);
        metrics.reads(semaphore::reads, this::heldBytes);
    }

    /** For those whose numbers nobody looks at. */
    public static Queriers open(QuerierLimits limits, HostEnvironment environment) {
        return open(limits, environment, new PagingMetrics("", environment.nanoTime()));
    }

    /** @param metrics of these alone; closed by who made them */
    public static Queriers open(QuerierLimits limits, HostEnvironment environment, PagingMetrics metrics) {
        return new Queriers(limits, environment, metrics);
    }

    /**
     * Pages of a table.
     *
     * @param name for reports
     * @param reads must stay open until the pages are closed
     */
    public QuerierPages pages(String name, ShardReads reads) {
        return new QuerierPages(name, new OwnCursors(reads), this);
    }

    /**
     * Pages of what several replicas of a table hold together, merged. A page ends with {@link ReplicaFailure} when one of them fails.
     *
     * @param name for reports
     * @param schema which all of them have
     * @param replicas by the names by which failures report them; none reads by these queriers, whose permits would be waited for by
     *     those that have one
     */
    public QuerierPages merged(String name, TableSchema schema, Map<String, PageSource> replicas) {
        return new QuerierPages(name, new MergedCursors(schema, new LinkedHashMap<>(replicas), asking), this);
    }

    /** Where replicas are asked at once. */
    public ReadAhead asking() {
        return asking;
    }

    /** @throws IllegalStateException when it is closed: names the table that was to be read */
    public void requireOpen(String table) {
        if (isClosed()) {
            throw new IllegalStateException("paging is closed, table=" + table);
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Waits for the right to read a page. */
    ReadSemaphore.Permit acquire(String table) throws IOException {
        return semaphore.acquire(table);
    }

    ReadAhead readAhead() {
        return readAhead;
    }

    /** Heap of all pages that are read, and of the queriers between two. */
    long heldBytes() {
        return semaphore.heldBytes() + cache.heldBytes();
    }

    Optional<ShardReader> take(Querier.Key key, Stretch stretch, TableSchema schema, long nowSeconds) {
        Optional<Querier> found = cache.take(key);
        metrics.lookedUp(found.isPresent());
        if (found.isPresent() && !found.get().fits(stretch, schema, nowSeconds)) {
            metrics.dropped();
            close(found.get());
            return Optional.empty();
        }
        return found.map(Querier::reader);
    }

    void keep(Querier.Key key, ShardReader reader, Stretch stretch, RingPosition place) {
        if (isClosed()) {
            // A page that was being read meanwhile.
            stop(reader, key.pages().name());
            return;
        }
        metrics.pushedBack(reader.rowsAhead(), reader.bytesAhead());
        try {
            Querier querier = new Querier(
                    key,
                    reader,
                    stretch,
                    place,
                    reader.heldBytes(),
                    environment.nanoTime().getAsLong());
            startSweeping();
            Optional<Querier> other = cache.add(querier);
            other.ifPresent(replaced -> metrics.dropped());
            other.ifPresent(this::close);
        } catch (RuntimeException e) {
            metrics.failedSave();
            LOG.warn(
                    "reader of a shard was not kept for the next page, table={}",
                    key.pages().name(),
                    e);
            stop(reader, key.pages().name());
        }
    }

    /** The longest waiting queriers make room for pages. */
    void makeRoom() {
        while (heldBytes() > limits.bytes()) {
            Optional<Querier> oldest = cache.takeOldest();
            if (oldest.isEmpty()) {
                return;
            }
            metrics.evictedByNeed(1);
            close(oldest.get());
        }
    }

    private synchronized void startSweeping() {
        if (isClosed) {
            throw new IllegalStateException("queriers are closed");
        }
        if (sweeper == null) {
            long nanos = Math.max(SWEEP_MIN_NANOS, limits.idle().toNanos() / SWEEPS);
            sweeper = environment.threads().single("queriers");
            sweeper.scheduleWithFixedDelay(this::sweep, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Closes queriers that wait for too long, or keep too much from being freed. */
    void sweep() {
        long nowNanos = environment.nanoTime().getAsLong();
        List<Querier> late = cache.takeIf(
                querier -> nowNanos - querier.savedNanos() >= limits.idle().toNanos());
        metrics.evictedByTime(late.size());
        late.forEach(this::closeNow);
        List<Querier> dear = cache.takeIf(querier -> querier.reader().obsoleteBytes() > limits.obsoleteBytes());
        metrics.evictedByNeed(dear.size());
        dear.forEach(this::closeNow);
    }

    /** Closes some before it returns. */
    void closeIf(Predicate<Querier> condition) {
        cache.takeIf(condition).forEach(this::closeNow);
        finishClosing();
    }

    /** Closes one beside the page that is read: what it kept may be files that are deleted then. */
    private void close(Querier querier) {
        ScheduledExecutorService executor = sweeper();
        try {
            if (executor != null) {
                executor.execute(() -> closeNow(querier));
                return;
            }
        } catch (RejectedExecutionException closed) {
            LOG.debug("queriers are closed", closed);
        }
        closeNow(querier);
    }

    private synchronized ScheduledExecutorService sweeper() {
        return sweeper;
    }

    /** Waits for those that are being closed beside. */
    private void finishClosing() {
        ScheduledExecutorService executor = sweeper();
        try {
            if (executor != null) {
                CompletableFuture.runAsync(() -> {}, executor).join();
            }
        } catch (RejectedExecutionException closed) {
            LOG.debug("queriers are closed", closed);
        }
    }

    private void closeNow(Querier querier) {
        stop(querier.reader(), querier.key().pages().name());
    }

    /**
     * Waits for what a reader reads beside a page that is told already.
     *
     * @return whether the reader may go on
     */
    boolean finish(ShardReader reader, String table) {
        try {
            reader.finish();
            return true;
        } catch (SchemaChangedException altered) {
            metrics.dropped();
            return false;
        } catch (IOException | RuntimeException e) {
            metrics.failedStop();
            LOG.warn("reader of a shard failed ahead of the page that would want it, table={}", table, e);
            return false;
        }
    }

    /** Closes a reader whose page is told already: that it fails is nobody's loss but is counted. */
    void stop(ShardReader reader, String table) {
        try {
            reader.close();
        } catch (IOException | RuntimeException e) {
            metrics.failedStop();
            LOG.warn("reader of a shard did not close cleanly, table={}", table, e);
        }
    }

    /** Closes the queriers that are kept. No page is read any more but those that are being read. */
    @Override
    public void close() {
        ScheduledExecutorService last;
        synchronized (this) {
            isClosed = true;
            last = sweeper;
        }
        closeIf(querier -> true);
        readAhead.close();
        asking.close();
        if (last != null) {
            last.shutdown();
        }
    }
}
