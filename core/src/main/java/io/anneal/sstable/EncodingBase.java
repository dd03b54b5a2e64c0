package io.anneal.sstable;

/**
 * What timestamps, local deletion times and TTLs are written as differences to. Any values are right; the smallest that
 * occur make the shortest files, since a smaller value than the base takes nine bytes.
 *
 * @param timestampMicros not {@link Long#MIN_VALUE}
 */
public record EncodingBase(long timestampMicros, int localDeletionTimeSeconds, int ttlSeconds) {
    /** Cassandra's own choice when nothing is known: midnight of 22 September 2015, UTC. */
    public static final EncodingBase EPOCH = new EncodingBase(1_442_880_000_000_000L, 1_442_880_000, 0);

    public EncodingBase {
        if (localDeletionTimeSeconds < 0 || ttlSeconds < 0 || timestampMicros == Long.MIN_VALUE) {
            throw new IllegalArgumentException("base out of range, timestampMicros=" + timestampMicros
                    + ", localDeletionTimeSeconds=" + localDeletionTimeSeconds + ", ttlSeconds=" + ttlSeconds);
        }
    }
}
