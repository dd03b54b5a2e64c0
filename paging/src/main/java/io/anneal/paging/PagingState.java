package io.anneal.paging;

import io.anneal.key.RingPosition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a reading stands between two pages: all that another process needs to go on. Immutable. A {@link PagingCookie} carries it.
 *
 * @param queryId by which replicas find what they kept
 * @param after the next page holds what lies strictly behind it; empty before the first page
 * @param rowCount rows of all pages so far
 * @param served names of the replicas that the last page came from, which have queriers; none of a table in this process
 * @param concurrency how many parts of a ring the next page asks for at once, at least 1
 */
public record PagingState(
        UUID queryId, Optional<RingPosition> after, long rowCount, List<String> served, int concurrency) {
    public PagingState {
        Objects.requireNonNull(queryId, "queryId");
        Objects.requireNonNull(after, "after");
        Objects.requireNonNull(served, "served");
        served = List.copyOf(served);
        if (rowCount < 0 || concurrency < 1) {
            throw new IllegalArgumentException(
                    "paging state is not possible, rowCount=" + rowCount + ", concurrency=" + concurrency);
        }
    }

    /** Before the first page. */
    public static PagingState start(UUID queryId) {
        Objects.requireNonNull(queryId, "queryId");
        return new PagingState(queryId, Optional.empty(), 0, List.of(), 1);
    }
}
