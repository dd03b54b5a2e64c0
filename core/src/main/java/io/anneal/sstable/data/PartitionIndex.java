package io.anneal.sstable.data;

import java.io.Closeable;
import java.io.IOException;

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

    /** For one thread, which closes it. */
    PartitionLookup lookup() throws IOException;

    /** Checks the index in lockstep with the data; for one thread, which closes it. */
    IndexVerifier verifier() throws IOException;
}
