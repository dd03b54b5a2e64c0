package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.sstable.EncodingBase;

/** The smallest timestamp, local deletion time and TTL of writes. One thread. */
final class SmallestTimes {
    private long timestampMicros = Long.MAX_VALUE;
    private long localDeletionTimeSeconds = Integer.MAX_VALUE;
    private int ttlSeconds = Integer.MAX_VALUE;

    void add(Write write) {
        switch (write.kind()) {
            case PARTITION_DELETION ->
                add(write.deletion().timestampMicros(), write.deletion().localDeletionTimeSeconds());
            case RANGE_DELETION ->
                add(write.range().timestampMicros(), write.range().localDeletionTimeSeconds());
            case STATIC_ROW, CLUSTERING_ROW -> add(write.row());
        }
    }

    private void add(Row row) {
        add(row.livenessTimestampMicros(), row.livenessExpirySeconds());
        addTtl(row.livenessTtlSeconds());
        add(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
        for (int i = 0; i < row.entryCount(); i++) {
            add(row.timestampMicros(i), row.localDeletionTimeSeconds(i));
            addTtl(row.ttlSeconds(i));
        }
    }

    private void add(long micros, long localSeconds) {
        if (micros != DeletionTime.NO_TIMESTAMP) {
            timestampMicros = Math.min(timestampMicros, micros);
        }
        localDeletionTimeSeconds = Math.min(localDeletionTimeSeconds, localSeconds);
    }

    private void addTtl(int seconds) {
        if (seconds != Row.NO_TTL) {
            ttlSeconds = Math.min(ttlSeconds, seconds);
        }
    }

    /** Where nothing was seen, Cassandra's own choice. */
    EncodingBase base() {
        return new EncodingBase(
                timestampMicros == Long.MAX_VALUE ? EncodingBase.EPOCH.timestampMicros() : timestampMicros,
                localDeletionTimeSeconds == Integer.MAX_VALUE
                        ? EncodingBase.EPOCH.localDeletionTimeSeconds()
                        : (int) localDeletionTimeSeconds,
                ttlSeconds == Integer.MAX_VALUE ? EncodingBase.EPOCH.ttlSeconds() : ttlSeconds);
    }
}
