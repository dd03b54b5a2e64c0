package io.anneal.sstable;

import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Where the rows of one table end an SSTable and begin another.
 *
 * @param sizeLimitBytes of uncompressed data; a partition larger than this still passes
 * @param windowOf the time window of a timestamp in microseconds, where rows of different windows belong into SSTables of
 *     their own
 * @param diskBoundaries ascending tokens, after each of which another SSTable begins: the last one of each data directory
 */
public record SSTableCuts(long sizeLimitBytes, Optional<LongUnaryOperator> windowOf, List<Long> diskBoundaries) {
    public SSTableCuts {
        diskBoundaries = List.copyOf(diskBoundaries);
        if (sizeLimitBytes <= 0) {
            throw new IllegalArgumentException("size limit is not positive, sizeLimitBytes=" + sizeLimitBytes);
        }
    }

    /** At the size limit alone. */
    public static SSTableCuts bySize(long sizeLimitBytes) {
        return new SSTableCuts(sizeLimitBytes, Optional.empty(), List.of());
    }
}
