package io.anneal.store;

import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.table.ReadCursor;
import java.io.IOException;
import java.util.Optional;

/**
 * A table's data as reads take it that stop and go on: shard by shard, from any place on. A store's table, or the SSTables of a
 * directory, which are one shard. Any thread; each cursor belongs to one thread at a time.
 */
public interface ShardReads {
    TableSchema schema();

    /** Which shard has which tokens. */
    ShardRule shards();

    /**
     * What a shard holds of a range, as it is now: merged, deletions with it, nothing purged. The caller closes the cursor.
     *
     * @param after only partitions behind this key are read, also among those of its token; it need not be in the range, nor
     *     be the shard's
     */
    ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException;

    /**
     * One partition as it is now; merged, nothing purged. Yields nothing when there is none. The caller closes the cursor.
     *
     * @param slices which rows; a range deletion that reaches beyond a slice is cut to it. Partition deletion and static row are
     *     there in any case
     * @param reversed whether rows come against clustering order
     */
    ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException;
}
