package io.anneal.sstable;

import io.anneal.fragment.FragmentCursor;

/** A cursor over one SSTable's data, as it is stored: nothing is reconciled, purged or ignored. */
public interface SSTableCursor extends FragmentCursor {
    /** Where the current fragment begins in the uncompressed data; of a partition start, where the partition begins. */
    long dataPosition();

    /** Where the rows of the current partition begin in the uncompressed data: behind its header and static row. */
    long rowsPosition();
}
