package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.KeyView;
import io.anneal.key.Murmur3;
import java.util.Arrays;

/**
 * Writes Partitions: a trie of the partition keys, each no longer than it takes to tell it from both of its neighbours, and behind
 * it the first and the last key whole. Owned by one thread.
 */
final class PartitionTrieWriter {
    /** In the payload's flags: a byte of the key's hash comes before the position. */
    private static final int HAS_HASH = 8;

    private final OutputFile file;
    private final TrieWriter trie;
    private final ByteWriter lastComparable = new ByteWriter(256);
    private final ByteWriter firstKey = new ByteWriter(256);
    private final ByteWriter lastKey = new ByteWriter(256);
    private final ByteWriter payload = new ByteWriter(1 + Long.BYTES);

    private long count;
    /** How much of the last key tells it from the one before. */
    private int distinctBytes;

    private long lastPosition;

    PartitionTrieWriter(OutputFile file) {
        this.file = file;
        trie = new TrieWriter(file);
    }

    /**
     * @param comparable the key's byte-comparable translation, behind those of the keys before; copied
     * @param position of its entry in Rows, or the complement of its position in the data
     */
    void add(ByteWriter comparable, KeyView key, long position) throws StorageException {
        if (count == 0) {
            copy(key, firstKey);
        } else {
            int common = Arrays.mismatch(
                    lastComparable.array(),
                    0,
                    lastComparable.lengthBytes(),
                    comparable.array(),
                    0,
                    comparable.lengthBytes());
            addLast(Math.max(distinctBytes, common + 1));
            distinctBytes = common + 1;
        }
        count++;
        lastPosition = position;
        copy(key, lastKey);
        lastComparable.clear();
        lastComparable.writeBytes(comparable.array(), 0, comparable.lengthBytes());
    }

    private static void copy(KeyView key, ByteWriter target) {
        target.clear();
        target.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
    }

    private void addLast(int prefixBytes) throws StorageException {
        int positionBytes = TriePositionWriter.lengthBytes(lastPosition);
        payload.clear();
        payload.writeByte((int) Murmur3.secondHalf(lastKey.array(), 0, lastKey.lengthBytes()));
        TriePositionWriter.write(lastPosition, positionBytes, payload);
        int flags = HAS_HASH + positionBytes - 1;
        trie.add(lastComparable.array(), Math.min(prefixBytes, lastComparable.lengthBytes()), flags, payload);
    }

    /** Writes what is left and syncs the file. There must be a key. */
    void finish() throws StorageException {
        addLast(distinctBytes);
        long root = trie.complete();
        long keysPosition = file.position();
        ByteWriter footer = payload;
        footer.clear();
        writeKey(firstKey, footer);
        writeKey(lastKey, footer);
        footer.writeLong(keysPosition);
        footer.writeLong(count);
        footer.writeLong(root);
        file.write(footer);
        file.sync();
    }

    private static void writeKey(ByteWriter key, ByteWriter out) {
        out.writeShort(key.lengthBytes());
        out.writeBytes(key.array(), 0, key.lengthBytes());
    }
}
