package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;

/**
 * Collects what the {@code STATS} part of Statistics tells: ranges of times, histograms, counts and the clusterings that
 * are covered. Counts as Cassandra's {@code MetadataCollector} does. Owned by one thread.
 */
final class StatisticsCollector {
    private final ClusteringComparator comparator;
    private final SizeHistogram partitionSizes = new SizeHistogram(SizeHistogram.PARTITION_SIZE_BUCKETS);
    private final SizeHistogram cellCounts = new SizeHistogram(SizeHistogram.CELL_COUNT_BUCKETS);
    private final DropTimeHistogram dropTimes = new DropTimeHistogram();
    private final KeyCardinality keys = new KeyCardinality();
    private final ClusteringCopy minClustering = new ClusteringCopy();
    private final ClusteringCopy maxClustering = new ClusteringCopy();

    private boolean hasClusterings;
    private boolean hasTimes;
    private long minTimestampMicros = Long.MIN_VALUE;
    private long maxTimestampMicros = Long.MAX_VALUE;
    private int minTtlSeconds = Row.NO_TTL;
    private int maxTtlSeconds = Row.NO_TTL;
    private boolean hasLocalDeletionTimes;
    private long minLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
    private long maxLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
    private boolean hasTtls;
    private long rowCount;
    private long columnsSetCount;
    private long partitionCellCount;

    StatisticsCollector(ClusteringComparator comparator) {
        this.comparator = comparator;
    }

    void add(Row row) {
        if (row.hasLiveness()) {
            addTimes(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        }
        if (row.hasDeletion()) {
            addDeletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
        }
        int lastColumn = -1;
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.isComplexDeletion(i)) {
                addDeletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i));
                continue;
            }
            addTimes(row.timestampMicros(i), row.ttlSeconds(i), row.localDeletionTimeSeconds(i));
            partitionCellCount++;
            if (row.columnIndex(i) != lastColumn) {
                lastColumn = row.columnIndex(i);
                columnsSetCount++;
            }
        }
        rowCount++;
    }

    void addDeletion(long timestampMicros, long localDeletionTimeSeconds) {
        addTimestamp(timestampMicros);
        addLocalDeletionTime(localDeletionTimeSeconds);
    }

    private void addTimes(long timestampMicros, int ttlSeconds, long localDeletionTimeSeconds) {
        addTimestamp(timestampMicros);
        addTtl(ttlSeconds);
        addLocalDeletionTime(localDeletionTimeSeconds);
    }

    private void addTimestamp(long timestampMicros) {
        minTimestampMicros = hasTimes ? Math.min(minTimestampMicros, timestampMicros) : timestampMicros;
        maxTimestampMicros = hasTimes ? Math.max(maxTimestampMicros, timestampMicros) : timestampMicros;
        hasTimes = true;
    }

    private void addTtl(int ttlSeconds) {
        minTtlSeconds = hasTtls ? Math.min(minTtlSeconds, ttlSeconds) : ttlSeconds;
        maxTtlSeconds = hasTtls ? Math.max(maxTtlSeconds, ttlSeconds) : ttlSeconds;
        hasTtls = true;
    }

    private void addLocalDeletionTime(long seconds) {
        minLocalDeletionTimeSeconds = hasLocalDeletionTimes ? Math.min(minLocalDeletionTimeSeconds, seconds) : seconds;
        maxLocalDeletionTimeSeconds = hasLocalDeletionTimes ? Math.max(maxLocalDeletionTimeSeconds, seconds) : seconds;
        hasLocalDeletionTimes = true;
        if (seconds != DeletionTime.NO_DELETION_TIME) {
            dropTimes.add(seconds);
        }
    }

    /** Takes the first and the last place of a partition: a row, a start bound and an end bound respectively. */
    void addClusterings(ClusteringCopy first, ClusteringCopy last) {
        if (!hasClusterings || compare(first, minClustering) < 0) {
            minClustering.set(first);
        }
        if (!hasClusterings || compare(last, maxClustering) > 0) {
            maxClustering.set(last);
        }
        hasClusterings = true;
    }

    private int compare(ClusteringCopy left, ClusteringCopy right) {
        return comparator.compare(left.clustering(), left.weight(), right.clustering(), right.weight());
    }

    void endPartition(byte[] key, int offset, int lengthBytes, long sizeBytes) {
        keys.add(key, offset, lengthBytes);
        partitionSizes.add(sizeBytes);
        cellCounts.add(partitionCellCount);
        partitionCellCount = 0;
    }

    void writeCardinality(ByteWriter out) {
        keys.write(out);
    }

    void writeStats(double compressionRatio, int level, long repairedAtMillis, ByteWriter out) {
        partitionSizes.write(out);
        cellCounts.write(out);
        writeNoCommitLogPosition(out);
        out.writeLong(minTimestampMicros);
        out.writeLong(maxTimestampMicros);
        out.writeInt(DeltaEncoder.narrowOrNone(minLocalDeletionTimeSeconds));
        out.writeInt(DeltaEncoder.narrowOrNone(maxLocalDeletionTimeSeconds));
        out.writeInt(minTtlSeconds);
        out.writeInt(maxTtlSeconds);
        out.writeLong(Double.doubleToRawLongBits(compressionRatio));
        dropTimes.write(out);
        out.writeInt(level);
        out.writeLong(repairedAtMillis);
        writeClustering(minClustering.clustering(), out);
        writeClustering(maxClustering.clustering(), out);
        out.writeByte(0); // no legacy counter shards
        out.writeLong(columnsSetCount);
        out.writeLong(rowCount);
        writeNoCommitLogPosition(out);
        out.writeInt(0); // no commit log intervals
        out.writeByte(0); // no pending repair
        out.writeByte(0); // not transient
        out.writeByte(0); // no originating host
    }

    private static void writeNoCommitLogPosition(ByteWriter out) {
        out.writeLong(-1);
        out.writeInt(0);
    }

    /** The components up to the first null one; none covers everything. */
    private static void writeClustering(Clustering clustering, ByteWriter out) {
        int size = 0;
        while (size < clustering.size() && !clustering.isAbsent(size)) {
            size++;
        }
        out.writeInt(size);
        for (int i = 0; i < size; i++) {
            out.writeShort(clustering.lengthBytes(i));
            out.writeBytes(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i));
        }
    }
}
