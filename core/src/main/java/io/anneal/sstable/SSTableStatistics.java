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
        long estimatedPartitionCount) {}
