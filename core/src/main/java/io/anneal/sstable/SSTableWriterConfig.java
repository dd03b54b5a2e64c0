package io.anneal.sstable;

import io.anneal.key.Partitioner;
import io.anneal.schema.TableOptions;

/**
 * How an SSTable is written.
 *
 * @param version one that can be written
 * @param partitioner which made the tokens of what will be written
 * @param base as small as what will be written, when that is known
 * @param columnIndexSizeBytes rows of a partition larger than this get a block index, an entry each so many bytes,
 *     or {@link #COLUMN_INDEX_SIZE_OF_FORMAT}
 * @param expectedPartitions for the size of the bloom filter; a guess may be too high
 */
public record SSTableWriterConfig(
        SSTableVersion version,
        Partitioner partitioner,
        EncodingBase base,
        Compression compression,
        int columnIndexSizeBytes,
        long expectedPartitions,
        int level,
        long repairedAtMillis) {
    /** What Cassandra takes by default: 64 KiB in BIG, 16 KiB in BTI. */
    public static final int COLUMN_INDEX_SIZE_OF_FORMAT = 0;

    private static final long RECEIVED_PARTITIONS_MIN = 100_000;

    /** Version {@code nb}, Murmur3 tokens, LZ4 in chunks of 16 KiB, block index as usual in the format, level 0, not repaired. */
    public static SSTableWriterConfig defaults(long expectedPartitions) {
        return new SSTableWriterConfig(
                SSTableVersion.NB,
                Partitioner.MURMUR3,
                EncodingBase.EPOCH,
                Compression.LZ4,
                COLUMN_INDEX_SIZE_OF_FORMAT,
                expectedPartitions,
                0,
                0);
    }

    /**
     * What a replica writes of what it receives from others.
     *
     * @param tablePartitions what it holds itself: it will hardly receive more, unless it lost its data and can't tell
     */
    public static SSTableWriterConfig received(long tablePartitions, SSTableVersion version, TableOptions options) {
        return defaults(Math.max(RECEIVED_PARTITIONS_MIN, tablePartitions))
                .withVersion(version)
                .withCompression(Compression.of(options));
    }

    /**
     * What another SSTable's content is written with: its version if that is one to be written, its partitioner, level and
     * repair time, and its smallest times as a base.
     */
    public static SSTableWriterConfig like(SSTableReader source) {
        SSTableStatistics statistics = source.statistics();
        SSTableWriterConfig config = defaults(Math.max(1, statistics.estimatedPartitionCount()))
                .withPartitioner(source.partitioner())
                .withBase(EncodingBase.of(statistics))
                .withLevel(statistics.level())
                .withRepairedAtMillis(statistics.repairedAtMillis());
        return SSTableVersion.of(source.descriptor())
                .filter(SSTableVersion::isWritten)
                .map(config::withVersion)
                .orElse(config);
    }

    /** {@link #columnIndexSizeBytes()} in a format where so many are usual. */
    public int columnIndexSizeBytes(int usualBytes) {
        return columnIndexSizeBytes == COLUMN_INDEX_SIZE_OF_FORMAT ? usualBytes : columnIndexSizeBytes;
    }

    public SSTableWriterConfig withVersion(SSTableVersion other) {
        return new SSTableWriterConfig(
                other,
                partitioner,
                base,
                compression,
                columnIndexSizeBytes,
                expectedPartitions,
                level,
                repairedAtMillis);
    }

    public SSTableWriterConfig withPartitioner(Partitioner other) {
        return new SSTableWriterConfig(
                version, other, base, compression, columnIndexSizeBytes, expectedPartitions, level, repairedAtMillis);
    }

    public SSTableWriterConfig withBase(EncodingBase other) {
        return new SSTableWriterConfig(
                version,
                partitioner,
                other,
                compression,
                columnIndexSizeBytes,
                expectedPartitions,
                level,
                repairedAtMillis);
    }

    public SSTableWriterConfig withCompression(Compression other) {
        return new SSTableWriterConfig(
                version, partitioner, base, other, columnIndexSizeBytes, expectedPartitions, level, repairedAtMillis);
    }

    public SSTableWriterConfig withColumnIndexSizeBytes(int otherBytes) {
        return new SSTableWriterConfig(
                version, partitioner, base, compression, otherBytes, expectedPartitions, level, repairedAtMillis);
    }

    public SSTableWriterConfig withExpectedPartitions(long count) {
        return new SSTableWriterConfig(
                version, partitioner, base, compression, columnIndexSizeBytes, count, level, repairedAtMillis);
    }

    public SSTableWriterConfig withLevel(int other) {
        return new SSTableWriterConfig(
                version,
                partitioner,
                base,
                compression,
                columnIndexSizeBytes,
                expectedPartitions,
                other,
                repairedAtMillis);
    }

    public SSTableWriterConfig withRepairedAtMillis(long otherMillis) {
        return new SSTableWriterConfig(
                version, partitioner, base, compression, columnIndexSizeBytes, expectedPartitions, level, otherMillis);
    }
}
