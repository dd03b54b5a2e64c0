package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageCursor;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A paged read: what is asked for, and the ways to read it: row by row as an {@code Iterable}, a {@link #stream()} or a {@link
 * #publisher}; or page by page, where each page comes with a cookie by which any process reads the next one.
 *
 * <p>What a reading sees: a row that is there when it begins, and is neither changed nor deleted meanwhile, comes exactly once; what is
 * written or deleted meanwhile may come or not; no row comes twice, and nothing that was deleted before the reading began.
 *
 * <p>Immutable: each method that changes something returns another scan. Any thread; each reading belongs to one.
 */
public final class Scan implements Iterable<TableRow> {
    private final Pager pager;
    private final HostEnvironment environment;
    private final ReadPlan plan;
    private final List<Condition> conditions;
    private final boolean reversed;
    private final long limit;
    private final PageLimits limits;
    private final boolean stateful;
    private final Optional<byte[]> secret;

    Scan(Pager pager, HostEnvironment environment, ReadPlan plan) {
        this(pager, environment, plan, List.of(), false, Long.MAX_VALUE, PageLimits.DEFAULT, true, Optional.empty());
    }

    private Scan(
            Pager pager,
            HostEnvironment environment,
            ReadPlan plan,
            List<Condition> conditions,
            boolean reversed,
            long limit,
            PageLimits limits,
            boolean stateful,
            Optional<byte[]> secret) {
        this.pager = pager;
        this.environment = environment;
        this.plan = plan;
        this.conditions = List.copyOf(conditions);
        this.reversed = reversed;
        this.limit = limit;
        this.limits = limits;
        this.stateful = stateful;
        this.secret = secret;
    }

    /**
     * Only rows that meet a condition, beside those given before. Conditions on the whole partition key and on the first clustering
     * columns are looked up; others are tried on each row that is read.
     *
     * @param column of the key, the clustering, a static or a plain one: no collection, no counter
     * @param operator {@code = != < <= > >=} or {@code IN}
     * @param value as {@link io.anneal.schema.JavaValues} lists it; with {@code IN} a collection of them
     * @throws IllegalArgumentException naming the column when there is none of this name, or the value is none of its type
     */
    public Scan where(String column, String operator, Object value) {
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(operator, "operator");
        return where(Condition.of(pager.schema(), column, Condition.Operator.of(operator), value));
    }

    /** Only rows that meet a condition, beside those given before. */
    public Scan where(Condition condition) {
        Objects.requireNonNull(condition, "condition");
        List<Condition> all = new ArrayList<>(conditions);
        all.add(condition);
        return new Scan(pager, environment, plan, all, reversed, limit, limits, stateful, secret);
    }

    /** Rows of each partition from the last to the first, or back. Only where partitions are named. */
    public Scan reversed() {
        return new Scan(pager, environment, plan, conditions, !reversed, limit, limits, stateful, secret);
    }

    /** At most so many rows. */
    public Scan limit(long rows) {
        if (rows < 1) {
            throw new IllegalArgumentException("limit must be positive, limit=" + rows);
        }
        return new Scan(pager, environment, plan, conditions, reversed, rows, limits, stateful, secret);
    }

    /** At most so many rows a page, {@value PageLimits#ROWS_DEFAULT} unless set. */
    public Scan pageSize(int rows) {
        return limits(limits.withRows(rows));
    }

    /** Where a page ends. */
    public Scan limits(PageLimits limits) {
        Objects.requireNonNull(limits, "limits");
        return new Scan(pager, environment, plan, conditions, reversed, limit, limits, stateful, secret);
    }

    /** Keeps nothing between two pages: each one is sought anew. Slower; for what comes back after minutes or never. */
    public Scan stateless() {
        return new Scan(pager, environment, plan, conditions, reversed, limit, limits, false, secret);
    }

    /**
     * Signs cookies, and takes no others.
     *
     * @param key at least 16 bytes that all processes have which go on from another's cookies
     */
    public Scan signedWith(byte[] key) {
        Objects.requireNonNull(key, "key");
        byte[] copy = key.clone();
        cookies(query()).signedWith(copy);
        return new Scan(pager, environment, plan, conditions, reversed, limit, limits, stateful, Optional.of(copy));
    }

    private PagingCookie cookies(ReadQuery query) {
        PagingCookie cookies = PagingCookie.of(pager.schema(), query);
        return secret.isPresent() ? cookies.signedWith(secret.get()) : cookies;
    }

    /** @throws IllegalArgumentException when the scan is reversed and names no partitions */
    private ReadQuery query() {
        return plan.query(pager.schema(), conditions, reversed);
    }

    public TableSchema schema() {
        return pager.schema();
    }

    /** Pages from the first one on, as fragments: for those who want speed. The caller closes them. */
    public ScanPages pages() {
        return pages(true);
    }

    /** @param ahead whether a page may be read before it is asked for */
    ScanPages pages(boolean ahead) {
        ReadQuery query = query();
        return new ScanPages(this, query, cookies(query), Optional.of(PagingState.start(environment.newId())), ahead);
    }

    /**
     * Pages from a cookie on.
     *
     * @throws PagingCookieException when the cookie is null, damaged, forged, of another query or table, of an unknown version, or of a
     *     query that does not fit the table any more
     */
    public ScanPages pages(String cookie) {
        return pages(cookie, true);
    }

    private ScanPages pages(String cookie, boolean ahead) {
        ReadQuery query;
        try {
            query = query();
        } catch (IllegalArgumentException e) {
            throw new PagingCookieException(
                    "paging cookie is of a query that does not fit the table, which may have been altered, reason="
                            + e.getMessage(),
                    e);
        }
        PagingCookie cookies = cookies(query);
        PagingState state = cookies.read(cookie);
        return new ScanPages(this, query, cookies, Optional.of(state).filter(left -> left.rowCount() < limit), ahead);
    }

    Pager.Step read(ReadQuery query, PagingState state, long rowsMax, long nowSeconds, boolean ahead)
            throws IOException {
        long left = Math.max(1, Math.min(rowsMax, limit - state.rowCount()));
        PageLimits page = left < limits.rows() ? limits.withRows((int) left) : limits;
        Pager.Step step = pager.read(query, state, page, ahead ? left : page.rows(), nowSeconds, stateful);
        boolean isOver = step.next().isPresent() && step.next().get().rowCount() >= limit;
        if (isOver) {
            pager.forget(step.next().get());
        }
        return isOver ? new Pager.Step(step.page(), Optional.empty()) : step;
    }

    void forget(PagingState state) {
        pager.forget(state);
    }

    long nowSeconds() {
        return environment.clock().instant().getEpochSecond();
    }

    long nanoTime() {
        return environment.nanoTime().getAsLong();
    }

    /** The first page. Whoever does not go on from its cookie need not say so: what is kept for the next page is dropped after a while. */
    public ScanPage firstPage() throws IOException {
        return page(pages(false));
    }

    /**
     * The page after the one that a cookie came with. It may be asked for again, with the same result as far as rows were not
     * written meanwhile.
     *
     * @throws PagingCookieException as {@link #pages(String)}
     */
    public ScanPage nextPage(String cookie) throws IOException {
        return page(pages(cookie, false));
    }

    /** Not closed: queriers wait for the next page. */
    private ScanPage page(ScanPages pages) throws IOException {
        Optional<Page> page = pages.next();
        List<TableRow> rows = new ArrayList<>();
        if (page.isPresent()) {
            try (TableRows shown = rows(page.get())) {
                for (TableRow row = shown.next(); row != null; row = shown.next()) {
                    rows.add(row);
                }
            }
        }
        return new ScanPage(rows, pages.cookie());
    }

    TableRows rows(Page page) throws IOException {
        return TableRows.of(PageCursor.of(page, reversed), page.nowSeconds());
    }

    /**
     * Reads from the beginning. An {@link IOException} comes as an {@link java.io.UncheckedIOException}. A loop that is left early leaves
     * nothing open: what is kept for the next page is dropped after a while, or at once by {@link #stream()}'s close.
     */
    @Override
    public Iterator<TableRow> iterator() {
        return new ScanRows(this, pages());
    }

    /**
     * Reads from the beginning. Whoever does not read to the end closes the stream, so that nothing is kept for the next page.
     *
     * @see #iterator() for errors
     */
    public Stream<TableRow> stream() {
        ScanRows rows = new ScanRows(this, pages());
        int characteristics = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.IMMUTABLE;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, characteristics), false)
                .onClose(rows::close);
    }

    /**
     * Reads anew for each subscriber, as many rows as it asks for, and no page ahead of that; a subscription that is cancelled keeps
     * nothing. Follows the rules of Reactive Streams.
     *
     * @param executor where pages are read and rows handed over; a page that is waited for occupies a thread
     */
    public Flow.Publisher<TableRow> publisher(Executor executor) {
        return new RowPublisher(this, executor);
    }
}
