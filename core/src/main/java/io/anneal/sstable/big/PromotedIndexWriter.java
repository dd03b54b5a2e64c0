package io.anneal.sstable.big;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteWriter;
import io.anneal.io.VInt;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.RowEncoder;
import java.util.Arrays;

/**
 * The block index of one partition: for each so many bytes of rows the first and the last place, where the block lies in
 * the partition and the deletion that is open at its end. It is all that is kept of a partition in memory.
 */
final class PromotedIndexWriter {
    /** Widths are written as differences to this, whatever the block size is. */
    private static final long WIDTH_BASE = 64 * 1024;

    private final DeletionTimes deletions;
    private final int blockSizeBytes;
    private final ByteWriter first = new ByteWriter(256);
    private final ByteWriter last = new ByteWriter(256);
    private final ByteWriter blocks = new ByteWriter(4096);
    private final ByteWriter deletion = new ByteWriter(DeletionTimes.LENGTH_MAX_BYTES);

    private int[] blockOffsets = new int[16];
    private int blockCount;
    private long blockPosition;
    private boolean inBlock;

    PromotedIndexWriter(SSTableVersion version, int blockSizeBytes) {
        deletions = DeletionTimes.of(version);
        this.blockSizeBytes = blockSizeBytes;
    }

    void startPartition() {
        blocks.clear();
        blockCount = 0;
        inBlock = false;
    }

    /** Takes the fragment that was encoded last, with its bounds in the partition and the deletion open behind it. */
    void add(RowEncoder rows, long position, long endPosition, long openMicros, long openLocalSeconds) {
        if (!inBlock) {
            inBlock = true;
            blockPosition = position;
            first.clear();
            rows.writePrefix(first);
        }
        if (endPosition - blockPosition >= blockSizeBytes) {
            last.clear();
            rows.writePrefix(last);
            endBlock(endPosition, openMicros, openLocalSeconds);
        }
    }

    /** Ends the last block; the fragment encoded last is still the partition's last. */
    void endPartition(RowEncoder rows, long endPosition) {
        if (inBlock) {
            last.clear();
            rows.writePrefix(last);
            endBlock(endPosition, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        }
    }

    private void endBlock(long endPosition, long openMicros, long openLocalSeconds) {
        if (blockCount == blockOffsets.length) {
            blockOffsets = Arrays.copyOf(blockOffsets, blockCount * 2);
        }
        blockOffsets[blockCount++] = blocks.lengthBytes();
        blocks.writeBytes(first.array(), 0, first.lengthBytes());
        blocks.writeBytes(last.array(), 0, last.lengthBytes());
        blocks.writeUnsignedVInt(blockPosition);
        blocks.writeSignedVInt(endPosition - blockPosition - WIDTH_BASE);
        boolean open = !DeletionTime.isLive(openMicros, openLocalSeconds);
        blocks.writeByte(open ? 1 : 0);
        if (open) {
            deletions.write(openMicros, openLocalSeconds, blocks);
        }
        inBlock = false;
    }

    /** Appends the length of the index and the index: none for a single block. */
    void write(long headerLength, long deletionMicros, long deletionLocalSeconds, ByteWriter out) {
        if (blockCount <= 1) {
            out.writeUnsignedVInt(0);
            return;
        }
        deletion.clear();
        deletions.write(deletionMicros, deletionLocalSeconds, deletion);
        long length = (long) VInt.lengthBytes(headerLength)
                + deletion.lengthBytes()
                + VInt.lengthBytes(blockCount)
                + blocks.lengthBytes()
                + (long) blockCount * Integer.BYTES;
        out.writeUnsignedVInt(length);
        out.writeUnsignedVInt(headerLength);
        out.writeBytes(deletion.array(), 0, deletion.lengthBytes());
        out.writeUnsignedVInt(blockCount);
        out.writeBytes(blocks.array(), 0, blocks.lengthBytes());
        for (int i = 0; i < blockCount; i++) {
            out.writeInt(blockOffsets[i]);
        }
    }
}
