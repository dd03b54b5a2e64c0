package io.anneal.paging.querier;

import io.anneal.key.PositionInPartition;
import io.anneal.table.ReadCursor;
import java.io.IOException;
import java.util.Optional;

/** What a shard reader reads, cursor after cursor. Owned by one thread at a time. */
interface CursorSource {
    /** Opens the next one, or returns null when there is none. The caller closes it. */
    ReadCursor next() throws IOException;

    /** After which place of its partition the cursor that was opened last reads; empty when it reads whole partitions. */
    Optional<PositionInPartition> rest();
}
