package io.anneal.sstable.data;

import io.anneal.key.Clustering;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;

/**
 * The block index of one large partition: which blocks its rows and markers stand in. After a search that failed it stands
 * before the first block. What it says is a claim: whoever uses it calls {@link #requireFirst} with what the data holds.
 * Reads what a search touches, never all blocks. Owned by one thread, closed with its {@link PartitionLookup}.
 */
public interface RowLookup {
    /** Moves to the last block that can begin at or before the place; false when there is none. */
    boolean seekFloor(Clustering prefix, int weight) throws IOException;

    /** Moves to the block before; false when there is none. */
    boolean previous() throws IOException;

    /** Moves to the next block; false when there is none. */
    boolean next() throws IOException;

    /** Timestamp of the partition's own deletion, as the index has it, or none. */
    long partitionDeletionMicros();

    /** Local time of that deletion, or none. */
    long partitionDeletionSeconds();

    /** Where the block begins, from the partition's begin. */
    long blockPosition();

    /** Timestamp of the range deletion that is open where the block begins, or none. */
    long openMicros();

    /** Local time of that deletion, or none. */
    long openSeconds();

    /**
     * Checks the place of the fragment with which the block begins in the data, as far as the index knows it.
     *
     * @throws CorruptSSTableException when the index promised another; names the index
     */
    void requireFirst(Clustering prefix, int weight) throws CorruptSSTableException;

    /** What is wrong with the block, as an exception that names the index. */
    CorruptSSTableException corrupt(String reason);
}
