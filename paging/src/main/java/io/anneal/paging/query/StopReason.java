package io.anneal.paging.query;

/** Why a page ended. Each but {@link #EXHAUSTED} comes with the place where the next page goes on. */
public enum StopReason {
    /** Nothing is left of what was asked for. */
    EXHAUSTED,
    ROW_LIMIT,
    BYTE_LIMIT,
    /** So many tombstones were passed that the page ends with the rows found so far, which may be none. */
    TOMBSTONE_LIMIT,
    /** So many rows were passed over by the filter that the page ends with those found so far, which may be none. */
    FILTER_LIMIT
}
