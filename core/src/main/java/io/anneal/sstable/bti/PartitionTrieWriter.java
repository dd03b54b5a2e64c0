package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import java.util.Arrays;

/**
 * Writes Partitions: a trie of the partition keys, each no longer than it takes to tell it from both of its neighbours, and behind
 * it the first and the last key whole. Owned by one thread.
 */
final class PartitionTrieWriter {
    /** In the payload's flags: a byte of the key's hash comes before the position. */
    private static final int HAS_HASH = 8;

    private final OutputFile file;
    private final Partitioner partitioner;
    private final TrieWriter trie;
    private final ByteWriter firstKey = new ByteWriter(256);
    private final ByteWriter lastKey = new ByteWriter(256);
    private final KeyView lastView = new KeyView();
    private final ByteWriter payload = new ByteWriter(1 + Long.BYTES);

    /** The start of the last key's translation: as much of it as tells it from the one before. */
    private ByteWriter last = new ByteWriter(256);

    private ByteWriter next = new ByteWriter(256);

    private long count;
    /** How much of the last key tells it from the one before. */
    private int distinctBytes;

    private long lastToken;
    private byte lastHash;
    private long lastPosition;

    PartitionTrieWriter(OutputFile file, Partitioner partitioner) {
        this.file = file;
        this.partitioner = partitioner;
        trie = new TrieWriter(file);
    }

    /**
     * @param key behind those before; copied
     * @param position of its entry in Rows, or the complement of its position in the data
     */
    void add(KeyView key, long position) throws StorageException {
        next.clear();
        ComparableEncoder.writeBegin(partitioner, key, next);
        if (count == 0) {
            copy(key, firstKey);
        } else {
            int common = commonBytes(key);
            addLast(Math.max(distinctBytes, common + 1));
            distinctBytes = common + 1;
        }
        count++;
        lastToken = key.token();
        lastHash = (byte) key.secondHash();
        lastPosition = position;
        copy(key, lastKey);
        ByteWriter spare = last;
        last = next;
        next = spare;
    }

    /** How many bytes the last key and the next one have in common. Only keys of one token are translated as a whole. */
    private int commonBytes(KeyView key) {
        if (partitioner == Partitioner.MURMUR3 && key.token() == lastToken) {
            last.clear();
            ComparableEncoder.writeKey(lastView.wrap(lastToken, lastKey.array(), 0, lastKey.lengthBytes()), last);
            next.clear();
            ComparableEncoder.writeKey(key, next);
        }
        return Arrays.mismatch(last.array(), 0, last.lengthBytes(), next.array(), 0, next.lengthBytes());
    }

    private static void copy(KeyView key, ByteWriter target) {
        target.clear();
        target.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
    }

    private void addLast(int prefixBytes) throws StorageException {
        int positionBytes = TriePositionWriter.lengthBytes(lastPosition);
        payload.clear();
        payload.writeByte(lastHash);
        TriePositionWriter.write(lastPosition, positionBytes, payload);
        int flags = HAS_HASH + positionBytes - 1;
        trie.add(last.array(), Math.min(prefixBytes, last.lengthBytes()), flags, payload);
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
