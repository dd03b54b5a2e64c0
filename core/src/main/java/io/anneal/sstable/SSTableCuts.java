package io.anneal.sstable;

import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Where the rows of one table end an SSTable and begin another.
 *
 * @param sizeLimitBytes of uncompressed data; a partition larger than this still passes
 * @param windowOf the time window of a timestamp in microseconds, where rows of different windows belong into SSTables of
 *     their own
 */
public record SSTableCuts(long sizeLimitBytes, Optional<LongUnaryOperator> windowOf) {
    public SSTableCuts {
        if (sizeLimitBytes <= 0) {
            throw new IllegalArgumentException("size limit is not positive, sizeLimitBytes=" + sizeLimitBytes);
        }
    }

    /** At the size limit alone. */
    public static SSTableCuts bySize(long sizeLimitBytes) {
        return new SSTableCuts(sizeLimitBytes, Optional.empty());
    }
}
