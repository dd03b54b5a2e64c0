package io.anneal.sstable;

/**
 * How an SSTable is written.
 *
 * @param compression empty name for none, {@code lz4}
 * @param chunkLengthBytes a power of two
 * @param columnIndexSizeBytes rows of a partition larger than this get a block index, an entry each so many bytes
 * @param expectedPartitions for the size of the bloom filter; a guess may be too high
 */
public record SSTableWriterConfig(
        Compression compression,
        int chunkLengthBytes,
        int columnIndexSizeBytes,
        long expectedPartitions,
        int level,
        long repairedAtMillis) {
    /** How chunks of data are compressed. */
    public enum Compression {
        NONE,
        LZ4
    }

    public static final int CHUNK_LENGTH_DEFAULT_BYTES = 16 * 1024;
    public static final int COLUMN_INDEX_SIZE_DEFAULT_BYTES = 64 * 1024;

    /** LZ4 in chunks of 16 KiB, block index every 64 KiB, level 0, not repaired. */
    public static SSTableWriterConfig defaults(long expectedPartitions) {
        return new SSTableWriterConfig(
                Compression.LZ4, CHUNK_LENGTH_DEFAULT_BYTES, COLUMN_INDEX_SIZE_DEFAULT_BYTES, expectedPartitions, 0, 0);
    }
}
