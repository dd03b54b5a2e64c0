package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** What a table is read from: the SSTables of a directory, or all that a store has of it. Any thread. */
interface RowSource {
    TableSchema schema();

    /** All partitions of a range, merged, nothing purged. */
    FragmentCursor scan(TokenRange.Linear range) throws IOException;

    /**
     * One partition, merged, nothing purged; yields nothing when there is none.
     *
     * @param slices which rows; partition deletion and static row are there in any case
     */
    FragmentCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException;
}
