package io.anneal.sstable;

import io.anneal.fragment.DeletionTime;
import java.util.List;

/**
 * What timestamps, local deletion times and TTLs are written as differences to. Any values are right; the smallest that
 * occur make the shortest files, since a smaller value than the base takes nine bytes.
 *
 * @param timestampMicros not {@link Long#MIN_VALUE}
 */
public record EncodingBase(long timestampMicros, int localDeletionTimeSeconds, int ttlSeconds) {
    /** Cassandra's own choice when nothing is known: midnight of 22 September 2015, UTC. */
    public static final EncodingBase EPOCH = new EncodingBase(1_442_880_000_000_000L, 1_442_880_000, 0);

    /** What a deletion may have in any version, but for the mark of one that overflowed. */
    private static final long LOCAL_DELETION_TIME_MAX_SECONDS = 0xFFFF_FFFDL;

    /** The smallest times of an SSTable, where it has any: what its content is best written with. */
    public static EncodingBase of(SSTableStatistics statistics) {
        return of(List.of(statistics));
    }

    /** The smallest times of several SSTables: what the merge of their content is best written with. */
    public static EncodingBase of(List<SSTableStatistics> inputs) {
        long minMicros = Long.MAX_VALUE;
        long minSeconds = Long.MAX_VALUE;
        long maxSeconds = Long.MIN_VALUE;
        int minTtlSeconds = Integer.MAX_VALUE;
        for (SSTableStatistics statistics : inputs) {
            minMicros = Math.min(minMicros, statistics.minTimestampMicros());
            minSeconds = Math.min(minSeconds, statistics.minLocalDeletionTimeSeconds());
            maxSeconds = Math.max(maxSeconds, statistics.maxLocalDeletionTimeSeconds());
            minTtlSeconds = Math.min(minTtlSeconds, statistics.minTtlSeconds());
        }
        return of(minMicros == Long.MIN_VALUE ? Long.MAX_VALUE : minMicros, minSeconds, maxSeconds, minTtlSeconds);
    }

    /**
     * The smallest times that were seen of what is to be written.
     *
     * @param minTimestampMicros {@link Long#MAX_VALUE} when none was seen
     * @param minLocalDeletionTimeSeconds {@link DeletionTime#NO_DELETION_TIME} when none was seen
     * @param maxLocalDeletionTimeSeconds the greatest: all from the base on must be in its reach
     * @param minTtlSeconds {@link Integer#MAX_VALUE} when none was seen
     */
    public static EncodingBase of(
            long minTimestampMicros,
            long minLocalDeletionTimeSeconds,
            long maxLocalDeletionTimeSeconds,
            int minTtlSeconds) {
        return new EncodingBase(
                minTimestampMicros == Long.MAX_VALUE ? EPOCH.timestampMicros : minTimestampMicros,
                localDeletionTimeSeconds(minLocalDeletionTimeSeconds, maxLocalDeletionTimeSeconds),
                minTtlSeconds == Integer.MAX_VALUE ? EPOCH.ttlSeconds : Math.max(0, minTtlSeconds));
    }

    private static int localDeletionTimeSeconds(long minSeconds, long maxSeconds) {
        if (minSeconds < 0 || minSeconds > LOCAL_DELETION_TIME_MAX_SECONDS) {
            return EPOCH.localDeletionTimeSeconds;
        }
        // Differences that do not fit 31 bits cannot be written for every kind of deletion. Beside what has no time the
        // greatest
        // is not known: it is within the reach of the epoch.
        long least = maxSeconds > LOCAL_DELETION_TIME_MAX_SECONDS
                ? EPOCH.localDeletionTimeSeconds
                : maxSeconds - Integer.MAX_VALUE;
        return (int) Math.min(Math.max(minSeconds, least), Integer.MAX_VALUE - 1);
    }

    /** The greatest local time of a deletion of a partition, row, collection or range that can be written as a difference to it. */
    long deletionReachSeconds() {
        return (long) localDeletionTimeSeconds + Integer.MAX_VALUE;
    }

    public EncodingBase {
        if (localDeletionTimeSeconds < 0 || ttlSeconds < 0 || timestampMicros == Long.MIN_VALUE) {
            throw new IllegalArgumentException("base out of range, timestampMicros=" + timestampMicros
                    + ", localDeletionTimeSeconds=" + localDeletionTimeSeconds + ", ttlSeconds=" + ttlSeconds);
        }
    }
}
