package io.anneal.sstable;

import io.anneal.key.Partitioner;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * All that the Statistics component tells of an SSTable but its columns, which are the header's schema. What a version does
 * not have is empty. Immutable by agreement.
 *
 * @param compressionRatio stored by uncompressed length; -1 of what is not compressed
 * @param coveredClusterings empty when not known, or all
 * @param hasPartitionDeletions false only if it is certain that no partition is deleted as a whole
 * @param tokenSpaceCoverage the share of the ring that is covered, or {@link Double#NaN}
 * @param estimatedKeyCount distinct partition keys, by an estimator that can be joined with others'
 */
public record SSTableMetadata(
        Partitioner partitioner,
        double bloomFilterFpChance,
        SSTableStatistics statistics,
        EstimatedHistogram partitionSizesBytes,
        EstimatedHistogram cellsPerPartition,
        DropTimes dropTimes,
        double compressionRatio,
        Optional<CoveredClusterings> coveredClusterings,
        List<CommitLogInterval> commitLogIntervals,
        RepairState repairState,
        Optional<UUID> originatingHost,
        boolean hasPartitionDeletions,
        Optional<KeyRange> keyRange,
        double tokenSpaceCoverage,
        OptionalLong estimatedKeyCount,
        EncodingMinima encodingMinima) {
    /** @param pendingRepair the session of an incremental repair that has not ended */
    public record RepairState(long repairedAtMillis, Optional<UUID> pendingRepair, boolean isTransient) {}

    /** A position in the commit log of the originating host. */
    public record CommitLogPosition(long segment, int position) {}

    /** Commit log that the SSTable makes superfluous. */
    public record CommitLogInterval(CommitLogPosition start, CommitLogPosition end) {}

    /** The first and the last partition key. */
    public record KeyRange(byte[] first, byte[] last) {}

    /** What timestamps, local deletion times and TTLs in the data are differences to. */
    public record EncodingMinima(long timestampMicros, long localDeletionTimeSeconds, int ttlSeconds) {}

    /** Which part of the cells can be dropped once everything that was deleted or expired by {@code seconds} may go. */
    public double droppableRatio(long seconds) {
        long cells = cellsPerPartition.mean() * (cellsPerPartition.total() - cellsPerPartition.overflowCount());
        return cells > 0 ? dropTimes.before(seconds) / cells : 0;
    }
}
