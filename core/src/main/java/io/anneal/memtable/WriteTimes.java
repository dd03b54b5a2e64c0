package io.anneal.memtable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;

/** The smallest timestamp, the smallest and the greatest local deletion time and the smallest TTL that were written. The owner adds, any thread reads. */
final class WriteTimes {
    private volatile long minTimestampMicros = Long.MAX_VALUE;
    private volatile long minLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
    private volatile long maxLocalDeletionTimeSeconds = Long.MIN_VALUE;
    private volatile int minTtlSeconds = Integer.MAX_VALUE;

    long minTimestampMicros() {
        return minTimestampMicros;
    }

    long minLocalDeletionTimeSeconds() {
        return minLocalDeletionTimeSeconds;
    }

    long maxLocalDeletionTimeSeconds() {
        return maxLocalDeletionTimeSeconds;
    }

    int minTtlSeconds() {
        return minTtlSeconds;
    }

    void add(RangeDeletion deletion) {
        add(deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), Row.NO_TTL);
    }

    void add(Row row) {
        add(row.livenessTimestampMicros(), row.livenessExpirySeconds(), row.livenessTtlSeconds());
        add(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), Row.NO_TTL);
        int count = row.entryCount();
        for (int i = 0; i < count; i++) {
            add(row.timestampMicros(i), row.localDeletionTimeSeconds(i), row.ttlSeconds(i));
        }
    }

    private void add(long timestampMicros, long localDeletionTimeSeconds, int ttlSeconds) {
        if (timestampMicros < minTimestampMicros && timestampMicros != DeletionTime.NO_TIMESTAMP) {
            minTimestampMicros = timestampMicros;
        }
        if (localDeletionTimeSeconds < minLocalDeletionTimeSeconds) {
            minLocalDeletionTimeSeconds = localDeletionTimeSeconds;
        }
        if (localDeletionTimeSeconds > maxLocalDeletionTimeSeconds
                && localDeletionTimeSeconds != DeletionTime.NO_DELETION_TIME) {
            maxLocalDeletionTimeSeconds = localDeletionTimeSeconds;
        }
        if (ttlSeconds != Row.NO_TTL && ttlSeconds < minTtlSeconds) {
            minTtlSeconds = ttlSeconds;
        }
    }
}
