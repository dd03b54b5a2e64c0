package io.anneal.migrate.bulk;

/**
 * What a comparison lets pass.
 *
 * @param writeTimes whether times of writing must be equal, too
 * @param expirySeconds how far expiries may lie apart: a TTL is told in whole seconds, and begins anew when it is copied
 */
public record BulkTolerance(boolean writeTimes, long expirySeconds) {
    /** Values and expiries within 2 s; write times as they come. */
    public static final BulkTolerance VALUES = new BulkTolerance(false, 2);

    /** The same, and equal write times. */
    public static final BulkTolerance EXACT = new BulkTolerance(true, 2);
}
