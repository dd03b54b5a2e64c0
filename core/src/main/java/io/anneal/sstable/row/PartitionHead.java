package io.anneal.sstable.row;

import io.anneal.io.ByteReader;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.file.DataWindow;
import java.io.IOException;

/**
 * The beginning of a partition: key and partition deletion, and the key before, so that partitions out of order are
 * found. A view that is valid until the next partition. Owned by one thread.
 */
public final class PartitionHead {
    private static final int KEY_MAX_BYTES = 0xFFFF;

    private final Partitioner partitioner;
    private final DeletionTimes deletions;
    private final DataWindow window;
    private final ByteReader in;
    private final KeyView key = new KeyView();
    /** Where it lies, until it is known to stand behind the one before. */
    private final KeyView read = new KeyView();

    private byte[] keyBytes = new byte[64];
    private boolean anyKey;
    private long position;

    public PartitionHead(DataWindow window, Partitioner partitioner, DeletionTimes deletions) {
        this.partitioner = partitioner;
        this.deletions = deletions;
        this.window = window;
        in = window.in();
    }

    /** Reads the head where the window stands, which then stands behind it. */
    public void read() throws IOException {
        position = window.position();
        window.mark();
        window.want(Short.BYTES);
        int keyLengthBytes = in.readUnsignedShort();
        window.want(keyLengthBytes + DeletionTimes.LENGTH_MAX_BYTES);
        takeKey(in.skip(keyLengthBytes), keyLengthBytes);
        deletions.read(in);
    }

    private void takeKey(int offset, int lengthBytes) throws CorruptSSTableException {
        read.wrap(partitioner.token(in.array(), offset, lengthBytes), in.array(), offset, lengthBytes);
        if (anyKey && partitioner.compare(key, read) >= 0) {
            throw window.source()
                    .corrupt(
                            position,
                            "partition out of order, previous=" + key.toDecoratedKey() + ", current="
                                    + read.toDecoratedKey());
        }
        if (keyBytes.length < lengthBytes) {
            keyBytes = new byte[KEY_MAX_BYTES];
        }
        System.arraycopy(in.array(), offset, keyBytes, 0, lengthBytes);
        key.wrap(read.token(), keyBytes, 0, lengthBytes);
        anyKey = true;
    }

    /** The next partition may have any key. */
    public void forget() {
        anyKey = false;
    }

    /** Whether a head was read. */
    public boolean isRead() {
        return anyKey;
    }

    public KeyView key() {
        return key;
    }

    /** Where the partition begins in the data. */
    public long position() {
        return position;
    }

    public long deletionMicros() {
        return deletions.timestampMicros();
    }

    public long deletionSeconds() {
        return deletions.localDeletionTimeSeconds();
    }
}
