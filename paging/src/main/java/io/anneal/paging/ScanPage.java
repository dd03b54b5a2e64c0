package io.anneal.paging;

import io.anneal.store.TableRow;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A page's rows. Immutable.
 *
 * @param rows may be none, though more follow: a page ends also where many deleted rows or many rows that are not wanted were passed
 * @param cookie for {@link Scan#nextPage}; empty after the last page
 */
public record ScanPage(List<TableRow> rows, Optional<String> cookie) {
    public ScanPage {
        Objects.requireNonNull(rows, "rows");
        Objects.requireNonNull(cookie, "cookie");
        rows = List.copyOf(rows);
    }
}
