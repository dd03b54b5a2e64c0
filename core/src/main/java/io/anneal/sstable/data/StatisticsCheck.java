package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.sstable.row.DeletionTimes;
import java.nio.file.Path;

/**
 * Compares what Statistics tells with the data: ranges must take in every timestamp, local deletion time and TTL, and the
 * number of rows must be right. Readers leave out SSTables by these, so a range that is too small hides rows.
 */
final class StatisticsCheck {
    private final Path file;
    private final SSTableStatistics told;
    private final boolean rowsAreCounted;
    private long rowCount;

    /** @param rowsAreCounted whether the number of rows is no estimate */
    StatisticsCheck(Path file, SSTableStatistics told, boolean rowsAreCounted) {
        this.file = file;
        this.told = told;
        this.rowsAreCounted = rowsAreCounted;
    }

    /** Takes the fragment at which the cursor stands. */
    void add(DataCursor data, FragmentKind kind) throws CorruptSSTableException {
        switch (kind) {
            case PARTITION_START ->
                deletion(data.partitionDeletionTimestampMicros(), data.partitionDeletionLocalTimeSeconds(), data);
            case STATIC_ROW, CLUSTERING_ROW -> row(data);
            case RANGE_TOMBSTONE_CHANGE -> {
                RangeTombstoneChange change = data.rangeTombstoneChange();
                deletion(change.timestampMicros(), change.localDeletionTimeSeconds(), data);
            }
            case PARTITION_END -> {
                // Tells nothing.
            }
        }
    }

    private void row(DataCursor data) throws CorruptSSTableException {
        Row row = data.row();
        rowCount++;
        if (row.hasLiveness()) {
            times(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds(), data);
        }
        deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), data);
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.isComplexDeletion(i)) {
                deletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i), data);
            } else {
                times(row.timestampMicros(i), row.ttlSeconds(i), row.localDeletionTimeSeconds(i), data);
            }
        }
    }

    private void deletion(long micros, long localSeconds, DataCursor data) throws CorruptSSTableException {
        if (!DeletionTime.isLive(micros, localSeconds)) {
            timestampAndDeletion(micros, localSeconds, data);
        }
    }

    private void times(long micros, int ttlSeconds, long localSeconds, DataCursor data) throws CorruptSSTableException {
        timestampAndDeletion(micros, localSeconds, data);
        if (ttlSeconds != Row.EXPIRED_LIVENESS_TTL) {
            require(told.minTtlSeconds(), ttlSeconds, told.maxTtlSeconds(), "ttlSeconds", data);
        }
    }

    private void timestampAndDeletion(long micros, long localSeconds, DataCursor data) throws CorruptSSTableException {
        require(told.minTimestampMicros(), micros, told.maxTimestampMicros(), "timestampMicros", data);
        // What overflowed and is no time is read as this mark, and stands in the ranges of older versions as it was.
        if (localSeconds != DeletionTimes.INVALID_SECONDS) {
            require(
                    told.minLocalDeletionTimeSeconds(),
                    told.hasOverflowedExpiry() ? overflowed(localSeconds) : localSeconds,
                    told.maxLocalDeletionTimeSeconds(),
                    "localDeletionTimeSeconds",
                    data);
        }
    }

    /** As the ranges of versions before {@code oa} have a time past 2038. */
    private static long overflowed(long localSeconds) {
        return localSeconds <= DeletionTimes.INVALID_SECONDS ? (int) localSeconds : localSeconds;
    }

    private void require(long min, long value, long max, String name, DataCursor data) throws CorruptSSTableException {
        if (value < min || value > max) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "range of statistics leaves out a value of the data, " + name + "=" + value + ", min=" + min
                            + ", max=" + max + ", dataPosition=" + data.dataPosition());
        }
    }

    void end() throws CorruptSSTableException {
        if (rowsAreCounted && rowCount != told.totalRows()) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "number of rows in statistics is not the data's, totalRows=" + told.totalRows() + ", rows="
                            + rowCount);
        }
    }
}
