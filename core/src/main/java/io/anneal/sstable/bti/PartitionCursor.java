package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;

/**
 * The trie of the partitions: of each key as many bytes as tell it from all others, a byte of its hash, and where to find more.
 * What it leads to may be another key that is not in the SSTable. Owned by one thread.
 */
final class PartitionCursor {
    /** In the payload's flags: a byte of the hash comes first, and the flags are 7 more than the bytes of the position. */
    private static final int HAS_HASH = 8;

    private final Partitioner partitioner;
    private final PartitionsFooter footer;
    private final TrieCursor cursor;
    private final ByteWriter comparable = new ByteWriter(128);

    private boolean hasHash;
    private byte hash;
    private long position;

    PartitionCursor(TriePages pages, Partitioner partitioner, PartitionsFooter footer) {
        this.partitioner = partitioner;
        this.footer = footer;
        cursor = new TrieCursor(pages);
        cursor.reset(footer.root());
    }

    PartitionsFooter footer() {
        return footer;
    }

    /** Moves to the first entry; false when there is no partition at all. */
    boolean first() throws IOException {
        boolean any = footer.count() > 0;
        if (any) {
            cursor.first();
        }
        return found(any);
    }

    boolean next() throws IOException {
        return found(cursor.next());
    }

    boolean previous() throws IOException {
        return found(cursor.previous());
    }

    /** Moves to the only entry that may be the key's; false when there is none. */
    boolean seek(KeyView key) throws IOException {
        comparable.clear();
        ComparableEncoder.writeKey(partitioner, key, comparable);
        return found(cursor.seekFloor(comparable) && cursor.leadsTo(comparable)) && sameHash(key);
    }

    /**
     * Moves to the last entry that may be below every key with the Murmur3 token; false when there is none. When
     * {@link #isOpen()}, only the key itself tells.
     */
    boolean seekBelow(long token) throws IOException {
        comparable.clear();
        ComparableEncoder.writeToken(token, comparable);
        return found(cursor.seekFloor(comparable));
    }

    /** Whether the entry that {@link #seekBelow} found is the beginning of the token, so that its key may lie before or behind. */
    boolean isOpen() {
        return cursor.leadsTo(comparable);
    }

    private boolean found(boolean any) throws IOException {
        if (any) {
            read();
        }
        return any;
    }

    private void read() throws IOException {
        TrieNode node = cursor.node();
        int flags = node.payloadFlags();
        hasHash = flags >= HAS_HASH;
        hash = hasHash ? (byte) node.payloadByte(0) : 0;
        position = hasHash ? node.payloadNumber(1, flags - HAS_HASH + 1) : node.payloadNumber(0, flags);
        if (node.hasChildren()) {
            throw corrupt("entry of a partition goes on to others");
        }
    }

    private boolean sameHash(KeyView key) {
        return !hasHash || hash == (byte) key.secondHash();
    }

    /** Whether the current entry can be the key's. */
    boolean mayBe(KeyView key) {
        comparable.clear();
        ComparableEncoder.writeKey(partitioner, key, comparable);
        return cursor.leadsTo(comparable) && sameHash(key);
    }

    /** Whether the partition has an entry in Rows. */
    boolean isInRows() {
        return position >= 0;
    }

    /** Where that entry begins in Rows. */
    long rowsPosition() {
        assert isInRows() : position;
        return position;
    }

    /** Where the partition begins in the data, when it has no entry in Rows. */
    long dataPosition() {
        assert !isInRows() : position;
        return ~position;
    }

    CorruptSSTableException corrupt(String reason) {
        return cursor.node().corrupt(reason);
    }
}
