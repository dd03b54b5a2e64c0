package io.anneal.paging;

import io.anneal.fragment.FragmentCursor;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageCursor;
import io.anneal.paging.query.ReadQuery;
import java.io.Closeable;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The pages of a scan, one after the other. One thread. */
public final class ScanPages implements Closeable {
    /** Who takes longer over a page has what was sent ahead of it dropped, sooner or later. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Scan scan;
    private final ReadQuery query;
    private final PagingCookie cookies;
    private final boolean ahead;

    /** Empty after the last page. */
    private Optional<PagingState> state;

    private long readNanos;

    /**
     * Pages from a state on.
     *
     * @param state empty when nothing is left
     * @param ahead whether a page may be read before it is asked for
     */
    ScanPages(Scan scan, ReadQuery query, PagingCookie cookies, Optional<PagingState> state, boolean ahead) {
        this.scan = scan;
        this.query = query;
        this.cookies = cookies;
        this.state = state;
        this.ahead = ahead;
        readNanos = scan.nanoTime();
    }

    /**
     * Reads the next page, which may be empty; empty after the last one. After an error the same page may be asked for again.
     *
     * @throws io.anneal.sstable.CorruptSSTableException when a file is wrong; never a wrong row
     * @throws io.anneal.net.PeerException when replicas on other nodes are gone or refuse
     * @throws java.io.InterruptedIOException when the thread is interrupted
     */
    public Optional<Page> next() throws IOException {
        return next(Long.MAX_VALUE);
    }

    /** The same, of at most so many rows, as are those read ahead of it. */
    public Optional<Page> next(long rowsMax) throws IOException {
        if (state.isEmpty()) {
            return Optional.empty();
        }
        boolean isSlow = scan.nanoTime() - readNanos > SLOW_NANOS;
        Pager.Step step = scan.read(query, state.get(), rowsMax, scan.nowSeconds(), ahead && !isSlow);
        readNanos = scan.nanoTime();
        state = step.next();
        return Optional.of(step.page());
    }

    /** A page's rows as fragments: what is shown at the time when it was read. */
    public FragmentCursor cursor(Page page) throws IOException {
        Objects.requireNonNull(page, "page");
        return PageCursor.of(page, query.reversed());
    }

    /** Whether there is another page. */
    public boolean hasNext() {
        return state.isPresent();
    }

    /** By which another process reads what is left; empty before the first page, and when nothing is left. */
    public Optional<String> cookie() {
        return state.filter(left -> left.after().isPresent()).map(cookies::write);
    }

    /** Rows of all pages up to here, those before a cookie among them, while there is another page. */
    public long rowCount() {
        return state.map(PagingState::rowCount).orElse(0L);
    }

    /** Lets go of what is kept for the next page, if there is one. Its cookie stays good. */
    @Override
    public void close() {
        state.filter(left -> left.after().isPresent()).ifPresent(scan::forget);
    }
}
