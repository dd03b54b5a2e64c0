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
 * @param nowSeconds what counts as expired, seconds since 1970
 * @param stateful whether queriers are kept for the next page, and looked for
 */
public record PageRequest(
        UUID queryId,
        ReadQuery query,
        Optional<RingPosition> after,
        PageLimits limits,
        long nowSeconds,
        boolean stateful) {}
