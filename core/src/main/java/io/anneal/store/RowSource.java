package io.anneal.store;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import java.io.IOException;

/** What a table is read from: the SSTables of a directory, or all that a store has of it. Any thread. */
interface RowSource extends ShardReads {
    /**
     * All partitions of a range, merged, nothing purged.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling
     */
    FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException;

    /** The same, with local deletion times as they are. */
    default FragmentCursor scan(TokenRange.Linear range) throws IOException {
        return scan(range, CanonicalEncoder.UNCLAMPED);
    }
}
