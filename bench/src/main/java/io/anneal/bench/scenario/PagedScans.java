package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageCursor;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.paging.query.ReadQuery;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads queries to their ends, page by page, each in a thread.
 *
 * @param pageRows of a page, whose bytes are not limited
 */
record PagedScans(PageSource pages, int pageRows, boolean stateful) {
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();

    /** The ring in as many parts, a query of each. */
    static List<ReadQuery> ofRing(int parts) {
        return TokenRange.FULL.split(parts).stream()
                .map(range -> ReadQuery.ofRanges(List.of(range)))
                .toList();
    }

    /** Returns how many rows there were. */
    long read(List<ReadQuery> queries) throws IOException {
        AtomicLong rows = new AtomicLong();
        StoreWriters.inThreads(queries.size(), thread -> rows.addAndGet(read(queries.get(thread))));
        return rows.get();
    }

    private long read(ReadQuery query) throws IOException {
        return read(query, page -> page.rowCount());
    }

    /** Goes through the rows of each page, too; in this thread. */
    long readRows(ReadQuery query) throws IOException {
        return read(query, page -> {
            long rows = 0;
            try (FragmentCursor cursor = PageCursor.of(page, query.reversed())) {
                FragmentKind kind;
                while ((kind = cursor.advance()) != null) {
                    rows += kind == FragmentKind.CLUSTERING_ROW ? 1 : 0;
                }
            }
            return rows;
        });
    }

    private interface Consumer {
        long rows(Page page) throws IOException;
    }

    private long read(ReadQuery query, Consumer consumer) throws IOException {
        UUID queryId = ENVIRONMENT.newId();
        Optional<Page> page = Optional.empty();
        long rows = 0;
        do {
            page = Optional.of(page(queryId, query, page, Long.MAX_VALUE - rows));
            rows += consumer.rows(page.get());
        } while (page.get().last().isPresent());
        return rows;
    }

    /** The first page of a query that nobody goes on with. */
    void abandon(ReadQuery query) throws IOException {
        page(ENVIRONMENT.newId(), query, Optional.empty(), pageRows);
    }

    private Page page(UUID queryId, ReadQuery query, Optional<Page> before, long left) throws IOException {
        return pages.read(new PageRequest(
                queryId,
                query,
                before.flatMap(Page::last),
                PageLimits.DEFAULT.withRows(pageRows).withBytes(Long.MAX_VALUE),
                left,
                ENVIRONMENT.clock().instant().getEpochSecond(),
                stateful));
    }
}
