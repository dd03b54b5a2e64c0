package io.anneal.store;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** What a table is read from: the SSTables of a directory, or all that a store has of it. Any thread. */
interface RowSource {
    TableSchema schema();

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

    /**
     * One partition, merged, nothing purged; yields nothing when there is none.
     *
     * @param slices which rows; partition deletion and static row are there in any case
     */
    FragmentCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException;
}
