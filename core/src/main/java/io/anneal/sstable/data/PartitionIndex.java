package io.anneal.sstable.data;

import io.anneal.sstable.SSTableMetadata.KeyRange;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * How partitions, and rows in large ones, are found in the data of one open SSTable: what tells one format from another.
 * Reads its files only when it is asked, so that a scan needs none of them. Safe to share; closed
 * with its reader, behind all look-ups.
 */
public interface PartitionIndex extends Closeable {
    /** Makes the index of a reader; reads nothing yet. */
    interface Opener {
        PartitionIndex open(DataReader reader);
    }

    /** The first and the last partition key, for versions whose Statistics do not tell; empty when the index does not. */
    default Optional<KeyRange> keyRange() throws IOException {
        return Optional.empty();
    }

    /** For one thread, which closes it. */
    PartitionLookup lookup() throws IOException;

    /** Checks the index in lockstep with the data; for one thread, which closes it. */
    IndexVerifier verifier() throws IOException;
}
