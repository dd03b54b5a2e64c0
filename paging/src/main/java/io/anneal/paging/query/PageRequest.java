package io.anneal.paging.query;

import io.anneal.key.RingPosition;
import java.util.Optional;
import java.util.UUID;

/**
 * One page of a query.
 *
 * @param queryId the same for all pages of one reading, so that the replica finds the queriers that it kept
 * @param after where the page before ended: this page holds what lies strictly behind it in the direction of reading; empty for the
 *     first page
 * @param rowsWanted of this page and those that will be asked for right after it, so that they may be read ahead; at least those of
 *     a page
 * @param nowSeconds what counts as expired, seconds since 1970
 * @param stateful whether queriers are kept for the next page, and looked for
 */
public record PageRequest(
        UUID queryId,
        ReadQuery query,
        Optional<RingPosition> after,
        PageLimits limits,
        long rowsWanted,
        long nowSeconds,
        boolean stateful) {
    public PageRequest {
        if (rowsWanted < limits.rows()) {
            throw new IllegalArgumentException(
                    "less is wanted than a page may have, rowsWanted=" + rowsWanted + ", pageRows=" + limits.rows());
        }
    }

    /** A page that nothing is read ahead of. */
    public PageRequest(
            UUID queryId,
            ReadQuery query,
            Optional<RingPosition> after,
            PageLimits limits,
            long nowSeconds,
            boolean stateful) {
        this(queryId, query, after, limits, limits.rows(), nowSeconds, stateful);
    }

    /** What is asked for after the page that answers this, if there is more and it is wanted. */
    public Optional<PageRequest> next(Page page, long seconds) {
        long left = rowsWanted - page.rowCount();
        if (page.last().isEmpty() || left <= 0 || rowsWanted <= limits.rows()) {
            return Optional.empty();
        }
        PageLimits rest = limits.withRows((int) Math.min(limits.rows(), left));
        return Optional.of(new PageRequest(queryId, query, page.last(), rest, left, seconds, stateful));
    }

    /** Whether the same page answers both, but for what has expired between. */
    public boolean isAnsweredAs(PageRequest other) {
        return queryId.equals(other.queryId)
                && after.equals(other.after)
                && limits.equals(other.limits)
                && stateful == other.stateful
                && query.equals(other.query);
    }
}
