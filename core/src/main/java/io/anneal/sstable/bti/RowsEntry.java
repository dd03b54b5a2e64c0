package io.anneal.sstable.bti;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import java.io.IOException;

/**
 * What Rows says of one large partition: {@link BtiFormat} has the grammar. A view that is read anew for each partition. Owned
 * by one thread.
 */
final class RowsEntry {
    private static final int VINT_MAX_BYTES = 9;
    private static final int BODY_MAX_BYTES = 3 * VINT_MAX_BYTES + DeletionTimes.LENGTH_MAX_BYTES;

    private final TriePages pages;
    private final Partitioner partitioner;
    private final DeletionTimes deletions;
    private final ByteWriter bytes = new ByteWriter(128);
    private final ByteReader in = new ByteReader();
    private final KeyView key = new KeyView();

    private long position;
    private long endPosition;
    private long dataPosition;
    private long root;
    private int blockCount;

    RowsEntry(TriePages pages, Partitioner partitioner, SSTableVersion version) {
        this.pages = pages;
        this.partitioner = partitioner;
        deletions = DeletionTimes.of(version);
    }

    /** Reads the entry at a position, which the trie of partitions claims. */
    void read(long entryPosition) throws IOException {
        position = entryPosition;
        if (position >= pages.lengthBytes()) {
            throw corrupt("entry lies behind the end of the file", null);
        }
        bytes.clear();
        pages.copy(position, Short.BYTES + BODY_MAX_BYTES, bytes);
        try {
            int keyLengthBytes = in.wrap(bytes.array(), 0, bytes.lengthBytes()).readUnsignedShort();
            pages.copy(position + bytes.lengthBytes(), keyLengthBytes, bytes);
            in.wrap(bytes.array(), Short.BYTES, bytes.lengthBytes() - Short.BYTES);
            int keyOffset = in.skip(keyLengthBytes);
            long token = partitioner.token(bytes.array(), keyOffset, keyLengthBytes);
            key.wrap(token, bytes.array(), keyOffset, keyLengthBytes);
            long basePosition = position + Short.BYTES + keyLengthBytes;
            dataPosition = in.readUnsignedVInt();
            root = basePosition + in.readSignedVInt();
            blockCount = in.readUnsignedVInt32();
            deletions.read(in);
            endPosition = position + in.offset();
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw corrupt("entry cannot be decoded: " + e.getMessage(), e);
        }
        if (dataPosition < 0 || root < 0 || root >= position || blockCount < 1) {
            throw corrupt(
                    "numbers of the entry are out of range, dataPosition=" + dataPosition + ", root=" + root
                            + ", blockCount=" + blockCount,
                    null);
        }
    }

    /** Valid until the next entry is read. */
    KeyView key() {
        return key;
    }

    /** Where the partition begins in the data. */
    long dataPosition() {
        return dataPosition;
    }

    /** Where the root of the partition's trie lies. */
    long root() {
        return root;
    }

    int blockCount() {
        return blockCount;
    }

    /** The deletion of the partition. */
    DeletionTimes deletion() {
        return deletions;
    }

    /** Where the entry begins in the file. */
    long position() {
        return position;
    }

    /** Where the entry ends in the file. */
    long endPosition() {
        return endPosition;
    }

    TriePages pages() {
        return pages;
    }

    CorruptSSTableException corrupt(String reason, Throwable cause) {
        return pages.corrupt(position, reason, cause);
    }
}
