package io.anneal.sstable.bti;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.Clustering;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Writes the row trie of one partition after the other: for each so many bytes of rows, a block, the shortest bytes that are greater
 * than all places of the block before and not greater than its own, with its offset in the partition and the deletion that is open at
 * its begin. The first block's bytes are empty; behind the last one a separator tells that there is nothing more. Owned by one
 * thread; takes memory for two places, whatever the partition's size.
 */
final class RowTrieWriter {
    /** In the payload's flags: a deletion comes after the offset. */
    private static final int HAS_OPEN_DELETION = 8;

    private final int blockSizeBytes;
    private final ComparableEncoder places;
    private final DeletionTimes deletions;
    private final TrieWriter trie;
    private final ByteWriter first = new ByteWriter(256);
    private final ByteWriter last = new ByteWriter(256);
    private final ByteWriter separator = new ByteWriter(256);
    private final ByteWriter payload = new ByteWriter(32);

    private boolean inBlock;
    private int blockCount;
    private long blockPosition;
    private long openMicros;
    private long openLocalSeconds;

    RowTrieWriter(OutputFile file, int blockSizeBytes, ComparableEncoder places, DeletionTimes deletions) {
        this.blockSizeBytes = blockSizeBytes;
        this.places = places;
        this.deletions = deletions;
        trie = new TrieWriter(file);
    }

    void startPartition() {
        inBlock = false;
        blockCount = 0;
        openMicros = DeletionTime.NO_TIMESTAMP;
        openLocalSeconds = DeletionTime.NO_DELETION_TIME;
    }

    /** Blocks so far. A single one needs no trie, and {@link #endPartition} must not be called. */
    int blockCount() {
        return blockCount;
    }

    /** Takes the place of a fragment, its bounds in the partition and the deletion that is open behind it. */
    void add(
            Clustering prefix,
            int weight,
            long position,
            long endPosition,
            long openBehindMicros,
            long openBehindLocalSeconds)
            throws StorageException {
        if (!inBlock) {
            startBlock(prefix, weight, position);
        }
        openMicros = openBehindMicros;
        openLocalSeconds = openBehindLocalSeconds;
        if (endPosition - blockPosition >= blockSizeBytes) {
            write(prefix, weight, last);
            inBlock = false;
        }
    }

    private void startBlock(Clustering prefix, int weight, long position) throws StorageException {
        if (blockCount == 1) {
            // Only now is it known that there is a trie at all.
            separator.clear();
            addSeparator(blockPosition, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        }
        blockPosition = position;
        if (blockCount > 0) {
            write(prefix, weight, first);
            separate();
            addSeparator(blockPosition, openMicros, openLocalSeconds);
        }
        inBlock = true;
        blockCount++;
    }

    private void write(Clustering prefix, int weight, ByteWriter out) {
        out.clear();
        places.writePlace(prefix, weight, out);
    }

    /** What the last place and this block's first begin with, and a byte one greater than the last place's next. */
    private void separate() {
        int common = Arrays.mismatch(last.array(), 0, last.lengthBytes(), first.array(), 0, first.lengthBytes());
        if (common < 0
                || common >= Math.min(last.lengthBytes(), first.lengthBytes())
                || (last.array()[common] & 0xFF) > (first.array()[common] & 0xFF)) {
            throw new IllegalStateException(
                    "places of a partition have no order as bytes, last=" + hex(last) + ", next=" + hex(first));
        }
        separator.clear();
        separator.writeBytes(last.array(), 0, common);
        separator.writeByte(last.array()[common] + 1);
    }

    private static String hex(ByteWriter bytes) {
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.lengthBytes());
    }

    private void addSeparator(long offset, long micros, long localSeconds) throws StorageException {
        boolean open = !DeletionTime.isLive(micros, localSeconds);
        int offsetBytes = TriePositionWriter.lengthBytes(offset);
        payload.clear();
        TriePositionWriter.write(offset, offsetBytes, payload);
        if (open) {
            deletions.write(micros, localSeconds, payload);
        }
        trie.add(separator.array(), separator.lengthBytes(), offsetBytes | (open ? HAS_OPEN_DELETION : 0), payload);
    }

    /**
     * Ends a partition of more than one block, with the place of its last fragment.
     *
     * @return position of the trie's root
     */
    long endPartition(Clustering prefix, int weight, long endPosition) throws StorageException {
        if (inBlock) {
            write(prefix, weight, last);
        }
        passLast();
        addSeparator(endPosition, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        return trie.complete();
    }

    /**
     * Writes a trie of separators that another one had, as {@link BlockCursor#copySeparator} gives them.
     *
     * @param rowsEndPosition where the rows end, from the partition's begin
     * @return position of the trie's root
     * @throws MalformedRowException when they are not those of so many blocks of such a partition
     */
    long copy(ByteReader in, int count, long rowsEndPosition) throws StorageException {
        long previousOffset = 0;
        for (int i = 0; i <= count; i++) {
            last.clear();
            last.writeBytes(separator.array(), 0, separator.lengthBytes());
            int lengthBytes = in.readUnsignedVInt32();
            int start = in.skip(lengthBytes);
            if (lengthBytes > TrieCursor.WAY_MAX_BYTES) {
                throw new MalformedRowException("separator of blocks is too long, lengthBytes=" + lengthBytes);
            }
            separator.clear();
            separator.writeBytes(in.array(), start, lengthBytes);
            boolean ascends = i == 0
                    || Arrays.compareUnsigned(
                                    last.array(), 0, last.lengthBytes(), separator.array(), 0, separator.lengthBytes())
                            < 0;
            long offset = in.readUnsignedVInt();
            if (!ascends || offset <= previousOffset || (i == count) != (offset == rowsEndPosition)) {
                throw new MalformedRowException(
                        "block does not lie behind the one before it or in its partition, block=" + i + ", offset="
                                + offset + ", rowsEnd=" + rowsEndPosition);
            }
            previousOffset = offset;
            deletions.read(in);
            addSeparator(offset, deletions.timestampMicros(), deletions.localDeletionTimeSeconds());
        }
        return trie.complete();
    }

    /** Makes bytes greater than the last place, as long as it takes to tell it from the last separator. */
    private void passLast() {
        int at = Arrays.mismatch(separator.array(), 0, separator.lengthBytes(), last.array(), 0, last.lengthBytes());
        assert at >= 0 && at < last.lengthBytes() : at;
        while (at < last.lengthBytes() && last.array()[at] == (byte) 0xFF) {
            at++;
        }
        separator.clear();
        separator.writeBytes(last.array(), 0, at);
        separator.writeByte(at < last.lengthBytes() ? last.array()[at] + 1 : 0);
    }
}
