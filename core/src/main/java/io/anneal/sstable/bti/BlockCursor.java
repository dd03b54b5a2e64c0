package io.anneal.sstable.bti;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import java.io.IOException;

/**
 * The trie of one partition's blocks: each separator is greater than every place of the block before and not greater than
 * the first of its own; a last one, behind all places, holds where the rows end. Owned by one thread.
 */
final class BlockCursor {
    private static final int HAS_OPEN_DELETION = 8;
    private static final int OFFSET_BYTES_MASK = 7;

    private final TrieCursor cursor;
    private final DeletionTimes deletions;
    private final ByteReader in = new ByteReader();

    private long offset;
    private long openMicros;
    private long openSeconds;

    BlockCursor(TriePages pages, SSTableVersion version) {
        cursor = new TrieCursor(pages);
        deletions = DeletionTimes.of(version);
    }

    void reset(long root) {
        cursor.reset(root);
    }

    void first() throws IOException {
        cursor.first();
        read();
    }

    void last() throws IOException {
        cursor.last();
        read();
    }

    /** Moves to the last separator that is not behind a place; false when there is none. */
    boolean seekFloor(ByteWriter comparablePlace) throws IOException {
        return found(cursor.seekFloor(comparablePlace));
    }

    boolean next() throws IOException {
        return found(cursor.next());
    }

    boolean previous() throws IOException {
        return found(cursor.previous());
    }

    private boolean found(boolean any) throws IOException {
        if (any) {
            read();
        }
        return any;
    }

    /** Whether this stands at the separator behind all blocks. */
    boolean isEnd() throws IOException {
        return cursor.isLast();
    }

    private void read() throws IOException {
        TrieNode node = cursor.node();
        int offsetBytes = node.payloadFlags() & OFFSET_BYTES_MASK;
        if (offsetBytes == 0) {
            throw corrupt("block has no offset", null);
        }
        offset = node.payloadNumber(0, offsetBytes);
        if (offset <= 0) {
            throw corrupt("offset of a block is not behind the partition's begin, offset=" + offset, null);
        }
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
        if ((node.payloadFlags() & HAS_OPEN_DELETION) != 0) {
            int start = node.payloadOffset() + offsetBytes;
            try {
                deletions.read(in.wrap(node.page(), start, Math.max(0, node.limit() - start)));
            } catch (ByteUnderflowException | MalformedRowException e) {
                throw corrupt("deletion that is open at a block's begin cannot be decoded: " + e.getMessage(), e);
            }
            openMicros = deletions.timestampMicros();
            openSeconds = deletions.localDeletionTimeSeconds();
        }
    }

    /** Where the block begins, or behind the last one where the rows end, from the partition's begin. */
    long offset() {
        return offset;
    }

    /** Timestamp of the range deletion that is open where the block begins, or none. */
    long openMicros() {
        return openMicros;
    }

    long openSeconds() {
        return openSeconds;
    }

    /** Order of the current separator and a place. */
    int compareTo(ByteWriter comparablePlace) {
        return cursor.compareTo(comparablePlace);
    }

    /** Appends the current separator and what it leads to, as {@link RowTrieWriter#copy} takes it. */
    void copySeparator(ByteWriter out) {
        out.writeUnsignedVInt(cursor.way().lengthBytes());
        out.writeBytes(cursor.way().array(), 0, cursor.way().lengthBytes());
        out.writeUnsignedVInt(offset);
        deletions.write(openMicros, openSeconds, out);
    }

    CorruptSSTableException corrupt(String reason, Throwable cause) {
        return cursor.node().corrupt(reason, cause);
    }
}
