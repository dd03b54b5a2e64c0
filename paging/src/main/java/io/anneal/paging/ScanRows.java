package io.anneal.paging;

import io.anneal.paging.query.Page;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Rows of all pages. One thread at a time. */
final class ScanRows implements Iterator<TableRow>, Closeable {
    private final Scan scan;
    private final ScanPages pages;
    private Optional<TableRows> page = Optional.empty();
    private TableRow ahead;

    ScanRows(Scan scan, ScanPages pages) {
        this.scan = scan;
        this.pages = pages;
    }

    /** Whether it is known, without another page, that nothing is left. */
    boolean isAtEnd() {
        return !pages.hasNext() && !hasNext();
    }

    private void takeFromPage() throws IOException {
        if (ahead == null && page.isPresent()) {
            ahead = page.get().next();
        }
    }

    @Override
    public boolean hasNext() {
        try {
            takeFromPage();
            while (ahead == null && pages.hasNext()) {
                Page next = pages.next().orElseThrow();
                page = Optional.of(scan.rows(next));
                takeFromPage();
            }
            return ahead != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public TableRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException(
                    "there are no more rows, table=" + scan.schema().qualifiedName());
        }
        TableRow row = ahead;
        ahead = null;
        return row;
    }

    @Override
    public void close() {
        pages.close();
    }
}
