package io.anneal.table;

import io.anneal.key.TokenRange;

/**
 * When a range was last repaired as a whole: tombstones that were there before may be purged.
 *
 * @param seconds since 1970
 */
public record RepairTime(TokenRange range, long seconds) {}
