package io.anneal.sstable.statistics;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.key.Clustering;
import io.anneal.key.Partitioner;
import io.anneal.key.PartitionerDefinedOrder;
import io.anneal.schema.CqlType;
import io.anneal.sstable.CoveredClusterings;
import io.anneal.sstable.DropTimes;
import io.anneal.sstable.EstimatedHistogram;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.CommitLogInterval;
import io.anneal.sstable.SSTableMetadata.CommitLogPosition;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableMetadata.RepairState;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.SerializationHeader;
import io.anneal.sstable.row.UnfilteredFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Decodes the {@code stats} part of Statistics, whose fields differ by version; the package has the grammar. No count is
 * believed before that many elements have room in what is left.
 */
final class StatisticsDecoder {
    private static final int BUCKET_BYTES = 2 * Long.BYTES;
    private static final int INTERVAL_BYTES = 2 * (Long.BYTES + Integer.BYTES);
    private static final int COMPONENTS_PER_HEADER = 32;

    private final SSTableVersion version;
    private final DeletionTimes times;
    private final ByteReader in;
    private final SerializationHeader header;
    private int partitionSizesEnd;
    private int compressionRatioOffset;
    private int countsOffset;
    private int keyRangeOffset;
    private int keyRangeEnd;

    StatisticsDecoder(SSTableVersion version, ByteReader in, SerializationHeader header) {
        this.version = version;
        this.in = in;
        this.header = header;
        times = DeletionTimes.of(version);
    }

    SSTableMetadata decode(Partitioner partitioner, double bloomFilterFpChance, OptionalLong keyCount) {
        EstimatedHistogram partitionSizes = readHistogram();
        partitionSizesEnd = in.offset();
        EstimatedHistogram cellCounts = readHistogram();
        CommitLogPosition commitLogEnd = readPosition();
        long minTimestampMicros = in.readLong();
        long maxTimestampMicros = in.readLong();
        long minLocalSeconds = times.secondsOrNone(in.readInt());
        long maxLocalSeconds = times.secondsOrNone(in.readInt());
        int minTtlSeconds = in.readInt();
        int maxTtlSeconds = in.readInt();
        compressionRatioOffset = in.offset();
        double compressionRatio = Double.longBitsToDouble(in.readLong());
        DropTimes dropTimes = readDropTimes();
        int level = in.readInt();
        long repairedAtMillis = in.readLong();
        Optional<CoveredClusterings> covered =
                version.isAtLeast(SSTableVersion.OA) ? Optional.of(readSlice()) : readMinMax();
        boolean hasLegacyCounterShards = readFlag();
        countsOffset = in.offset();
        long totalColumnsSet = in.readLong();
        long totalRows = in.readLong();
        List<CommitLogInterval> commitLog = readCommitLog(commitLogEnd);
        boolean hasRepairSession = version.isAtLeast(SSTableVersion.NA);
        Optional<UUID> pendingRepair = hasRepairSession ? readUuid() : Optional.empty();
        boolean isTransient = hasRepairSession && readFlag();
        boolean hasHost = version == SSTableVersion.ME || version.isAtLeast(SSTableVersion.NB);
        Optional<UUID> host = hasHost ? readUuid() : Optional.empty();
        boolean hasPartitionDeletions = minLocalSeconds != DeletionTime.NO_DELETION_TIME;
        Optional<KeyRange> keyRange = Optional.empty();
        keyRangeOffset = in.offset();
        double tokenSpaceCoverage = Double.NaN;
        if (version.isAtLeast(SSTableVersion.OA)) {
            hasPartitionDeletions = readFlag();
            keyRangeOffset = in.offset();
            keyRange = Optional.of(new KeyRange(readBytes(), readBytes()));
            tokenSpaceCoverage = Double.longBitsToDouble(in.readLong());
        }
        keyRangeEnd = in.offset();
        SSTableStatistics statistics = new SSTableStatistics(
                minTimestampMicros,
                maxTimestampMicros,
                minLocalSeconds,
                maxLocalSeconds,
                minTtlSeconds,
                maxTtlSeconds,
                totalRows,
                totalColumnsSet,
                level,
                repairedAtMillis,
                hasLegacyCounterShards,
                partitionSizes.total());
        return new SSTableMetadata(
                partitioner,
                bloomFilterFpChance,
                statistics,
                partitionSizes,
                cellCounts,
                dropTimes,
                compressionRatio,
                covered,
                commitLog,
                new RepairState(repairedAtMillis, pendingRepair, isTransient),
                host,
                hasPartitionDeletions,
                keyRange,
                tokenSpaceCoverage,
                keyCount,
                new EncodingMinima(
                        header.minTimestampMicros(), header.minLocalDeletionTimeSeconds(), header.minTtlSeconds()));
    }

    /** Where the histogram of the partitions' sizes, the first field, ended. */
    int partitionSizesEnd() {
        return partitionSizesEnd;
    }

    int compressionRatioOffset() {
        return compressionRatioOffset;
    }

    /** Where the number of columns that are set was, and behind it that of the rows. */
    int countsOffset() {
        return countsOffset;
    }

    /** Where first key, last key and the covered share of the ring were; nothing where the version has none of them. */
    int keyRangeOffset() {
        return keyRangeOffset;
    }

    int keyRangeEnd() {
        return keyRangeEnd;
    }

    /** Reads how many elements of a size follow; no more than have room. */
    private int readCount(int elementBytes) {
        return checkedCount(in.readInt(), elementBytes);
    }

    private int checkedCount(long count, int elementBytes) {
        if (count < 0 || count > in.remainingBytes() / elementBytes) {
            throw new MalformedRowException("count is out of range, count=" + count);
        }
        return (int) count;
    }

    private boolean readFlag() {
        int value = in.readUnsignedByte();
        if (value > 1) {
            throw new MalformedRowException("flag is neither 0 nor 1, value=" + value);
        }
        return value == 1;
    }

    private EstimatedHistogram readHistogram() {
        int buckets = readCount(BUCKET_BYTES);
        if (buckets < 2) {
            throw new MalformedRowException("histogram has too few buckets, buckets=" + buckets);
        }
        long[] upperBounds = new long[buckets - 1];
        long[] counts = new long[buckets];
        for (int i = 0; i < buckets; i++) {
            // The first bound stands twice: each count is preceded by the bound of the bucket before.
            upperBounds[Math.max(0, i - 1)] = in.readLong();
            counts[i] = in.readLong();
            if (counts[i] < 0 || i > 1 && upperBounds[i - 1] <= upperBounds[i - 2]) {
                throw new MalformedRowException("histogram is out of order, bucket=" + i);
            }
        }
        return new EstimatedHistogram(upperBounds, counts);
    }

    private CommitLogPosition readPosition() {
        return new CommitLogPosition(in.readLong(), in.readInt());
    }

    /**
     * Points and counts: a double and a long, since {@code oa} a long and an int. Points that stand for no time, which old
     * versions of Cassandra counted, become the largest time, as it takes them now.
     */
    private DropTimes readDropTimes() {
        boolean narrow = version.isAtLeast(SSTableVersion.OA);
        long max = narrow ? DeletionTimes.INVALID_SECONDS - 1 : times.secondsMax();
        in.readInt(); // the most points, which only the writer needs
        int points = readCount(Long.BYTES + (narrow ? Integer.BYTES : Long.BYTES));
        long[] seconds = new long[points];
        long[] counts = new long[points];
        for (int i = 0; i < points; i++) {
            long point = narrow ? in.readLong() : (long) Double.longBitsToDouble(in.readLong());
            seconds[i] = point < 0 || point > max ? max : point;
            counts[i] = narrow ? in.readInt() : in.readLong();
        }
        return new DropTimes(seconds, counts);
    }

    /** Smallest and largest clustering, in some versions wrong and so of no use. */
    private Optional<CoveredClusterings> readMinMax() {
        Clustering min = readClustering();
        Clustering max = readClustering();
        boolean all = min.size() == 0 && max.size() == 0;
        return !version.isAtLeast(SSTableVersion.MD) || all
                ? Optional.empty()
                : Optional.of(new CoveredClusterings(header.clusteringTypes(), min, true, max, true));
    }

    private Clustering readClustering() {
        int size = readCount(Short.BYTES);
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            values[i] = in.readBytes(in.readUnsignedShort());
        }
        return checked(Clustering.of(values));
    }

    private Clustering checked(Clustering clustering) {
        if (clustering.size() > header.clusteringTypes().size()) {
            throw new MalformedRowException("clustering has too many components, size=" + clustering.size());
        }
        return clustering;
    }

    /** The types of the clustering columns, then two bounds as markers have them. */
    private CoveredClusterings readSlice() {
        int count = checkedCount(in.readUnsignedVInt(), 1);
        List<CqlType> types = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            types.add(PartitionerDefinedOrder.parseClustering(SerializationHeader.text(in)));
        }
        if (types.size() != header.clusteringTypes().size()) {
            throw new MalformedRowException("number of clustering columns differs from the header's, count=" + count);
        }
        int startKind = in.readUnsignedByte();
        Clustering start = readBound(types);
        int endKind = in.readUnsignedByte();
        Clustering end = readBound(types);
        boolean startsRight =
                startKind == UnfilteredFlags.INCL_START_BOUND || startKind == UnfilteredFlags.EXCL_START_BOUND;
        boolean endsRight = endKind == UnfilteredFlags.INCL_END_BOUND || endKind == UnfilteredFlags.EXCL_END_BOUND;
        if (!startsRight || !endsRight) {
            throw new MalformedRowException(
                    "covered clusterings are no slice, start=" + startKind + ", end=" + endKind);
        }
        return new CoveredClusterings(
                List.copyOf(types),
                start,
                startKind == UnfilteredFlags.INCL_START_BOUND,
                end,
                endKind == UnfilteredFlags.INCL_END_BOUND);
    }

    private Clustering readBound(List<CqlType> types) {
        int size = in.readUnsignedShort();
        if (size > types.size()) {
            throw new MalformedRowException("clustering has too many components, size=" + size);
        }
        byte[][] values = new byte[size][];
        long bits = 0;
        for (int i = 0; i < size; i++) {
            if (i % COMPONENTS_PER_HEADER == 0) {
                bits = in.readUnsignedVInt();
            }
            int state = (int) (bits >>> (2 * (i % COMPONENTS_PER_HEADER))) & 3;
            if (state == 0) {
                int fixed = types.get(i).fixedLengthBytes();
                values[i] = in.readBytes(fixed == CqlType.VARIABLE_LENGTH ? in.readUnsignedVInt32() : fixed);
            } else if (state == 1) {
                values[i] = new byte[0];
            }
        }
        return Clustering.of(values);
    }

    /** {@code ma} has the end alone, {@code mb} the begin too, all later ones each interval. */
    private List<CommitLogInterval> readCommitLog(CommitLogPosition end) {
        CommitLogPosition start = version.isAtLeast(SSTableVersion.MB) ? readPosition() : new CommitLogPosition(-1, 0);
        if (!version.isAtLeast(SSTableVersion.MC)) {
            return List.of(new CommitLogInterval(start, end));
        }
        int count = readCount(INTERVAL_BYTES);
        List<CommitLogInterval> intervals = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            intervals.add(new CommitLogInterval(readPosition(), readPosition()));
        }
        return List.copyOf(intervals);
    }

    private Optional<UUID> readUuid() {
        return readFlag() ? Optional.of(new UUID(in.readLong(), in.readLong())) : Optional.empty();
    }

    private byte[] readBytes() {
        return in.readBytes(in.readUnsignedVInt32());
    }
}
