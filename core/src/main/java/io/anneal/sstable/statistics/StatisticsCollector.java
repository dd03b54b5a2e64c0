package io.anneal.sstable.statistics;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.row.ClusteringCopy;
import io.anneal.sstable.row.ClusteringEncoder;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.UnfilteredFlags;
import java.util.List;

/**
 * Collects what the {@code STATS} part of Statistics tells: ranges of times, histograms, counts and the clusterings that
 * are covered. Counts as Cassandra's {@code MetadataCollector} does. Owned by one thread.
 */
public final class StatisticsCollector {
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final boolean countsCounters;
    private final CounterShards shards = new CounterShards();
    private final SizeHistogram partitionSizes = new SizeHistogram(SizeHistogram.PARTITION_SIZE_BUCKETS);
    private final SizeHistogram cellCounts = new SizeHistogram(SizeHistogram.CELL_COUNT_BUCKETS);
    private final DropTimeHistogram dropTimes = new DropTimeHistogram();
    private final KeyCardinality keys = new KeyCardinality();
    private final ClusteringCopy minClustering = new ClusteringCopy();
    private final ClusteringCopy maxClustering = new ClusteringCopy();

    private final ByteWriter firstKey = new ByteWriter(64);
    private final ByteWriter lastKey = new ByteWriter(64);

    private boolean hasKey;
    private boolean hasPartitionDeletions;
    private boolean hasLegacyCounterShards;
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

    public StatisticsCollector(TableSchema schema) {
        this.schema = schema;
        comparator = ClusteringComparator.of(schema);
        countsCounters = schema.hasCounters();
    }

    public void add(Row row) {
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
            if (!isOfRow(row, i)) {
                addTimes(row.timestampMicros(i), row.ttlSeconds(i), row.localDeletionTimeSeconds(i));
            }
            partitionCellCount++;
            if (countsCounters && !hasLegacyCounterShards) {
                hasLegacyCounterShards = hasLegacyShard(row, i);
            }
            if (row.columnIndex(i) != lastColumn) {
                lastColumn = row.columnIndex(i);
                columnsSetCount++;
            }
        }
        rowCount++;
    }

    /** Whether the cell has the row's own times and none of a deletion, as most do: they are counted already. */
    private static boolean isOfRow(Row row, int entry) {
        return row.timestampMicros(entry) == row.livenessTimestampMicros()
                && row.hasLiveness()
                && row.localDeletionTimeSeconds(entry) == DeletionTime.NO_DELETION_TIME
                && row.livenessTtlSeconds() == Row.NO_TTL;
    }

    /** Whether a counter has shards that are local or remote, as those of tables made before Cassandra 2.1. */
    private boolean hasLegacyShard(Row row, int entry) {
        List<Column> columns = row.isStatic() ? schema.staticColumns() : schema.regularColumns();
        if (!columns.get(row.columnIndex(entry)).type().isCounter() || row.isTombstone(entry)) {
            return false;
        }
        return shards.hasLegacyShards(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
    }

    public void addPartitionDeletion(long timestampMicros, long localDeletionTimeSeconds) {
        hasPartitionDeletions = true;
        addDeletion(timestampMicros, localDeletionTimeSeconds);
    }

    public void addDeletion(long timestampMicros, long localDeletionTimeSeconds) {
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
    public void addClusterings(ClusteringCopy first, ClusteringCopy last) {
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

    public void endPartition(KeyView key, long sizeBytes) {
        keys.add(key.buffer(), key.offset(), key.lengthBytes());
        if (!hasKey) {
            firstKey.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
            hasKey = true;
        }
        lastKey.clear();
        lastKey.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
        partitionSizes.add(sizeBytes);
        cellCounts.add(partitionCellCount);
        partitionCellCount = 0;
    }

    void writeCardinality(ByteWriter out) {
        keys.write(out);
    }

    /** Writes the {@code stats} part: no commit log, no host, nothing pending. */
    void writeStats(SSTableWriterConfig config, double compressionRatio, ByteWriter out) {
        SSTableVersion version = config.version();
        boolean since50 = version.isAtLeast(SSTableVersion.OA);
        DeletionTimes times = DeletionTimes.of(version);
        partitionSizes.write(out);
        cellCounts.write(out);
        writeNoCommitLogPosition(out);
        out.writeLong(minTimestampMicros);
        out.writeLong(maxTimestampMicros);
        out.writeInt(times.bitsOrNone(minLocalDeletionTimeSeconds));
        out.writeInt(times.bitsOrNone(maxLocalDeletionTimeSeconds));
        out.writeInt(minTtlSeconds);
        out.writeInt(maxTtlSeconds);
        out.writeLong(Double.doubleToRawLongBits(compressionRatio));
        dropTimes.write(version, out);
        out.writeInt(config.level());
        out.writeLong(config.repairedAtMillis());
        if (since50) {
            writeSlice(out);
        } else {
            writeClustering(minClustering.clustering(), out);
            writeClustering(maxClustering.clustering(), out);
        }
        out.writeByte(hasLegacyCounterShards ? 1 : 0);
        out.writeLong(columnsSetCount);
        out.writeLong(rowCount);
        writeNoCommitLogPosition(out);
        out.writeInt(0); // no commit log intervals
        out.writeByte(0); // no pending repair
        out.writeByte(0); // not transient
        out.writeByte(0); // no originating host
        if (since50) {
            out.writeByte(hasPartitionDeletions ? 1 : 0);
            writeKey(firstKey, out);
            writeKey(lastKey, out);
            // Only a compaction that splits the ring knows; Cassandra computes it from the keys otherwise.
            out.writeLong(Double.doubleToRawLongBits(Double.NaN));
            // Cassandra takes each point of the histogram for four bytes longer than it is, and fills up with zeros.
            for (int i = 0; i < dropTimes.size(); i++) {
                out.writeInt(0);
            }
        }
    }

    private static void writeNoCommitLogPosition(ByteWriter out) {
        out.writeLong(-1);
        out.writeInt(0);
    }

    static void writeKey(ByteWriter key, ByteWriter out) {
        out.writeUnsignedVInt(key.lengthBytes());
        out.writeBytes(key.array(), 0, key.lengthBytes());
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

    /** The types of the clustering columns, then the bounds of everything; without rows an empty slice. */
    private void writeSlice(ByteWriter out) {
        out.writeUnsignedVInt(schema.clustering().size());
        for (Column column : schema.clustering()) {
            StatisticsEncoder.writeType(column.type().className(), out);
        }
        int startKind = UnfilteredFlags.EXCL_START_BOUND;
        int endKind = UnfilteredFlags.EXCL_END_BOUND;
        if (hasClusterings) {
            boolean startsBehind = minClustering.weight() == ClusteringComparator.AFTER;
            boolean endsBefore = maxClustering.weight() == ClusteringComparator.BEFORE;
            startKind = startsBehind ? UnfilteredFlags.EXCL_START_BOUND : UnfilteredFlags.INCL_START_BOUND;
            endKind = endsBefore ? UnfilteredFlags.EXCL_END_BOUND : UnfilteredFlags.INCL_END_BOUND;
        }
        ClusteringEncoder encoder = new ClusteringEncoder(schema);
        encoder.writeBound(startKind, minClustering.clustering(), out);
        encoder.writeBound(endKind, maxClustering.clustering(), out);
    }
}
