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
        // Differences that do not fit 31 bits cannot be written for every kind of deletion.
        boolean far = maxSeconds != DeletionTime.NO_DELETION_TIME && maxSeconds - minSeconds > Integer.MAX_VALUE;
        boolean usable = minSeconds >= 0 && minSeconds < Integer.MAX_VALUE && !far;
        return new EncodingBase(
                minMicros == Long.MIN_VALUE ? EPOCH.timestampMicros : minMicros,
                usable ? (int) minSeconds : EPOCH.localDeletionTimeSeconds,
                Math.max(0, minTtlSeconds));
    }

    public EncodingBase {
        if (localDeletionTimeSeconds < 0 || ttlSeconds < 0 || timestampMicros == Long.MIN_VALUE) {
            throw new IllegalArgumentException("base out of range, timestampMicros=" + timestampMicros
                    + ", localDeletionTimeSeconds=" + localDeletionTimeSeconds + ", ttlSeconds=" + ttlSeconds);
        }
    }
}
