package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.CorruptSSTableException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds partitions in the data. Indexes have no checksums: what is found is a claim that whoever uses it checks against
 * the data. Without its files nothing is found. Owned by one thread.
 */
public interface PartitionLookup extends Closeable {
    /** No position. */
    long UNKNOWN = -1;

    /**
     * Finds the partition of {@code key}, or, in an index that holds only the beginnings of keys, of another like it: the key
     * in the data tells. False when the index does not know it, which is a claim too: an index with a wrong key in it does
     * not know the right one.
     */
    boolean seek(KeyView key) throws IOException;

    /**
     * Where the rows of the partition begin that {@link #seek} found, block by block; empty when it has no block index.
     * Valid until the next search.
     */
    Optional<RowLookup> rows() throws IOException;

    /**
     * Appends the block index of the partition that was found last, as {@link IndexWriter#addPartition} takes it; nothing when it
     * has none, or one that would be longer than {@code bytesMax}. Only until the next search.
     */
    void copyRowIndex(ByteWriter out, int bytesMax) throws IOException;

    /** Finds the partition behind the one that was found last, or the first one before any search; false at the end. */
    boolean next() throws IOException;

    /** Finds the last partition below {@code token}; false when the index has none. */
    boolean seekLastBelow(long token) throws IOException;

    /**
     * Finds the partition behind {@code key}.
     *
     * @param partitionPosition where the partition of {@code key} begins in the data
     * @return where it begins; the end of the data when there is none; {@link #UNKNOWN} when the index does not know
     */
    long seekAfter(KeyView key, long partitionPosition) throws IOException;

    /** The found partition's key; empty when the index holds only enough of it to tell it from others. */
    Optional<DecoratedKey> key();

    /** Where the found partition begins in the data. */
    long dataPosition();

    /** Heap that it occupies, roughly. */
    long heldBytes();

    /**
     * Checks the key in the data where the found partition should be.
     *
     * @throws CorruptSSTableException when it is another than the index promised
     */
    void requireSame(byte[] buffer, int offset, int lengthBytes) throws CorruptSSTableException;
}
