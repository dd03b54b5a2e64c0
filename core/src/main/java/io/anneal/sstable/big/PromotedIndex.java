package io.anneal.sstable.big;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.Clustering;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.PrefixDecoder;
import io.anneal.sstable.row.UnfilteredFlags;
import java.io.IOException;
import java.util.Arrays;

/**
 * The block index of a wide partition, block by block or one that is asked for; {@link BigFormat} has the grammar. A view over an
 * {@link IndexCursor} that stands at the entry.
 */
final class PromotedIndex {
    /** What widths are written relative to. */
    static final long WIDTH_BASE = 64 * 1024;

    private static final int HEAD_BYTES = 256;

    private final IndexCursor index;
    private final DataWindow window;
    private final ByteReader in;
    private final DeletionTimes deletions;
    private final PrefixDecoder prefixes;
    private final long endPosition;
    private final long headerLengthBytes;
    private final long partitionDeletionMicros;
    private final long partitionDeletionSeconds;
    private final int blockCount;
    private final long blocksPosition;

    private int block = -1;
    private int[] offsets = new int[16];
    private final Clustering first = new Clustering();
    private final Clustering last = new Clustering();
    private int firstKind;
    private int lastKind;
    private long blockOffset;
    private long blockWidth;
    private long openMicros;
    private long openSeconds;

    private PromotedIndex(IndexCursor index, DeletionTimes deletions, PrefixDecoder prefixes) throws IOException {
        this.index = index;
        this.deletions = deletions;
        this.prefixes = prefixes;
        window = index.promoted();
        in = window.in();
        endPosition = window.position() + index.promotedLengthBytes();
        window.mark();
        window.want(Math.min(HEAD_BYTES, index.promotedLengthBytes()));
        headerLengthBytes = in.readUnsignedVInt();
        deletions.read(in);
        partitionDeletionMicros = deletions.timestampMicros();
        partitionDeletionSeconds = deletions.localDeletionTimeSeconds();
        blockCount = in.readUnsignedVInt32();
        blocksPosition = window.position();
        if ((long) blockCount * Integer.BYTES > endPosition - blocksPosition) {
            throw index.corrupt("promoted index has too many blocks, blocks=" + blockCount, null);
        }
    }

    static PromotedIndex of(IndexCursor index, DeletionTimes deletions, PrefixDecoder prefixes) throws IOException {
        try {
            return new PromotedIndex(index, deletions, prefixes);
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw index.corrupt("promoted index cannot be decoded: " + e.getMessage(), e);
        }
    }

    /** Moves to the next block; behind the last one checks the table of offsets and returns false. */
    boolean nextBlock() throws IOException {
        try {
            if (++block == blockCount) {
                checkOffsets();
                return false;
            }
            readNextBlock();
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw index.corrupt("promoted index cannot be decoded: " + e.getMessage(), e);
        }
        return true;
    }

    /** Moves to a block by the table of offsets, reading neither what is before nor what is behind. */
    void seek(int target) throws IOException {
        block = target;
        try {
            long tablePosition = endPosition - (long) blockCount * Integer.BYTES;
            window.seek(tablePosition + (long) target * Integer.BYTES);
            window.want(2 * Integer.BYTES);
            long begin = blocksPosition + in.readInt();
            long end = target + 1 == blockCount ? tablePosition : blocksPosition + in.readInt();
            if (begin < blocksPosition || begin >= end || end > tablePosition) {
                throw index.corrupt("offset of a block of the promoted index is wrong, block=" + target, null);
            }
            window.seek(begin);
            readBlock();
            if (window.position() != end) {
                throw index.corrupt("block of the promoted index has another length, block=" + target, null);
            }
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw index.corrupt("promoted index cannot be decoded: " + e.getMessage(), e);
        }
    }

    private void readNextBlock() throws IOException {
        if (block == offsets.length) {
            offsets = Arrays.copyOf(offsets, block * 2);
        }
        offsets[block] = (int) (window.position() - blocksPosition);
        readBlock();
    }

    private void readBlock() throws IOException {
        window.mark();
        int epoch;
        do {
            window.backToMark();
            epoch = window.epoch();
            firstKind = readPrefix(first);
            lastKind = readPrefix(last);
            window.want(HEAD_BYTES);
        } while (epoch != window.epoch());
        blockOffset = in.readUnsignedVInt();
        blockWidth = in.readSignedVInt() + WIDTH_BASE;
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
        int hasOpen = in.readUnsignedByte();
        if (hasOpen > 1) {
            throw index.corrupt("flag is neither 0 nor 1, value=" + hasOpen, null);
        }
        if (hasOpen == 1) {
            deletions.read(in);
            openMicros = deletions.timestampMicros();
            openSeconds = deletions.localDeletionTimeSeconds();
        }
        if (blockOffset < 0 || blockWidth < 0 || window.position() > endPosition) {
            throw index.corrupt("block of the promoted index is out of range, block=" + block, null);
        }
    }

    private int readPrefix(Clustering target) throws IOException {
        window.want(HEAD_BYTES);
        int kind = in.readUnsignedByte();
        int size = kind == UnfilteredFlags.CLUSTERING ? prefixes.componentCount() : in.readUnsignedShort();
        prefixes.read(window, size, target);
        return kind;
    }

    private void checkOffsets() throws IOException {
        window.mark();
        window.want((long) blockCount * Integer.BYTES);
        for (int i = 0; i < blockCount; i++) {
            if (in.readInt() != offsets[i]) {
                throw index.corrupt("offset of a block of the promoted index is wrong, block=" + i, null);
            }
        }
        if (window.position() != endPosition) {
            throw index.corrupt("promoted index has another length than its blocks", null);
        }
    }

    int blockCount() {
        return blockCount;
    }

    /** Length of key, partition deletion and static row. */
    long headerLengthBytes() {
        return headerLengthBytes;
    }

    long partitionDeletionMicros() {
        return partitionDeletionMicros;
    }

    long partitionDeletionSeconds() {
        return partitionDeletionSeconds;
    }

    /** The current block's first clustering; valid until the next one. */
    Clustering first() {
        return first;
    }

    int firstKind() {
        return firstKind;
    }

    Clustering last() {
        return last;
    }

    int lastKind() {
        return lastKind;
    }

    /** Where the block begins, from the partition's beginning. */
    long blockOffset() {
        return blockOffset;
    }

    long blockWidth() {
        return blockWidth;
    }

    /** Timestamp of the range deletion that is open at the block's end, or none. */
    long openMicros() {
        return openMicros;
    }

    long openSeconds() {
        return openSeconds;
    }
}
