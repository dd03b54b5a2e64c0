package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.migrate.bulk.BulkCursor;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * The entries of a result, page by page; a page is asked for when the one before is used up. CQL gives the static values with every
 * row: here they come once, before the partition's rows. One thread.
 */
final class CassandraCursor implements BulkCursor<RowEntry> {
    private final CassandraRows decoder;
    private final InstantSource clock;
    private final String what;
    private final Deque<RowEntry> decoded = new ArrayDeque<>();

    private AsyncResultSet page;
    private Iterator<Row> rows = Collections.emptyIterator();
    /** When the page was asked for: what the TTLs in it are counted from. */
    private long nowSeconds;

    private DecoratedKey partition;

    private CassandraCursor(CassandraRows decoder, InstantSource clock, String what) {
        this.decoder = decoder;
        this.clock = clock;
        this.what = what;
    }

    static CassandraCursor open(
            CqlSession session, BoundStatement statement, CassandraRows decoder, InstantSource clock, String what)
            throws IOException {
        CassandraCursor cursor = new CassandraCursor(decoder, clock, what);
        cursor.nowSeconds = clock.instant().getEpochSecond();
        cursor.take(session.executeAsync(statement));
        return cursor;
    }

    private void take(CompletionStage<AsyncResultSet> asked) throws IOException {
        try {
            page = asked.toCompletableFuture().get();
            rows = page.currentPage().iterator();
        } catch (ExecutionException e) {
            throw new IOException(
                    "rows can't be read, from=" + what + ", reason="
                            + e.getCause().getMessage(),
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while rows were read, from=" + what);
        }
    }

    @Override
    public RowEntry next() throws IOException {
        while (decoded.isEmpty()) {
            if (rows.hasNext()) {
                decode(rows.next());
            } else if (page.hasMorePages()) {
                nowSeconds = clock.instant().getEpochSecond();
                take(page.fetchNextPage());
            } else {
                return null;
            }
        }
        return decoded.poll();
    }

    private void decode(Row row) {
        DecoratedKey key = decoder.key(row);
        if (!key.equals(partition)) {
            partition = key;
            RowEntry ofStatic = decoder.statics(key, row, nowSeconds);
            if (ofStatic != null) {
                decoded.add(ofStatic);
            }
        }
        RowEntry regular = decoder.regular(key, row, nowSeconds);
        if (regular != null) {
            decoded.add(regular);
        }
    }

    @Override
    public void close() {
        rows = Collections.emptyIterator();
    }
}
