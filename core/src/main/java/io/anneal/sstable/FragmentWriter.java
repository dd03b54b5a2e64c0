package io.anneal.sstable;

import io.anneal.fragment.FragmentCursor;
import java.io.Closeable;
import java.io.IOException;

/**
 * Writes one SSTable from fragments in order. All files have temporary names until {@link #finish()}, which syncs each,
 * renames them, TOC last, and syncs the directory: after a crash at any instant the SSTable is there whole, or the next
 * start sweeps it away. Closing without finishing removes everything. Owned by one thread; memory does not grow with a
 * partition's size but for its block index.
 */
public interface FragmentWriter extends Closeable {
    /** Appends everything that the cursor still holds. Partitions must ascend over all calls. */
    void append(FragmentCursor cursor) throws IOException;

    /** Appends the fragment that the cursor stands at: for callers that drive a cursor themselves. */
    void appendCurrent(FragmentCursor cursor) throws IOException;

    /** Bytes of uncompressed data so far. */
    long dataLengthBytes();

    /** Completes the SSTable and says which it is. */
    Descriptor finish() throws IOException;

    /** Releases everything; removes the temporary files when {@link #finish()} was not reached. */
    @Override
    void close() throws IOException;
}
