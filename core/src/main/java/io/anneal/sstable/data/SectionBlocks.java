package io.anneal.sstable.data;

/**
 * How sections are sent, block after block:
 *
 * <pre>
 *   block      := int length, head, chunks          the length is the head's
 *   head       := 1 vint partitions, (vint lengthBytes, vint rowIndexBytes, rowIndex)*
 *               | 2 vint chunks, (vint storedBytes)*   of compressed chunks, without their checksums
 *               | 2 vint chunks, (int crc32)*          of chunks that are not compressed
 *               | 0                                    the end
 * </pre>
 *
 * Partitions of one section follow one another in the data, the first one where the section begins or the block before ended.
 * Blocks of chunks follow until all of these partitions have come. Chunks ascend from the one that holds the first
 * partition's begin; what came already, for the partitions before, does not come again. Keys are not sent: they are in
 * the data.
 */
final class SectionBlocks {
    static final int END = 0;
    static final int PARTITIONS = 1;
    static final int CHUNKS = 2;

    /** A head ends when it is so long. */
    static final int HEAD_BYTES = 64 * 1024;
    /** A longer block index is left out: its partition is searched from its begin then. */
    static final int ROW_INDEX_MAX_BYTES = 16 * 1024 * 1024;

    static final int HEAD_MAX_BYTES = HEAD_BYTES + ROW_INDEX_MAX_BYTES + 64;
    /** Chunks of one block. */
    static final int CHUNKS_MAX = 4096;

    private SectionBlocks() {}
}
