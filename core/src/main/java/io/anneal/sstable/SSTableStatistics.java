package io.anneal.sstable;

/**
 * What Statistics tells about the data of an SSTable. Timestamps in microseconds, local deletion times and TTLs in seconds.
 */
public record SSTableStatistics(
        long minTimestampMicros,
        long maxTimestampMicros,
        long minLocalDeletionTimeSeconds,
        long maxLocalDeletionTimeSeconds,
        int minTtlSeconds,
        int maxTtlSeconds,
        long totalRows,
        long totalColumnsSet,
        int level,
        long repairedAtMillis,
        boolean hasLegacyCounterShards,
        long estimatedPartitionCount) {
    /**
     * Whether an expiry past 2038 overflowed the signed numbers of versions before {@code oa}: the least time is negative then,
     * and the greatest one leaves it out.
     */
    public boolean hasOverflowedExpiry() {
        return minLocalDeletionTimeSeconds < 0;
    }
}
