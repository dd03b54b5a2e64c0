package io.anneal.paging.querier;

import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.TableSchema;
import io.anneal.store.ShardReads;

/** Cursors over a table in this process. */
record OwnCursors(ShardReads reads) implements Cursors {
    @Override
    public TableSchema schema() {
        return reads.schema();
    }

    @Override
    public ShardRule shards() {
        return reads.shards();
    }

    @Override
    public CursorSource of(PageRequest request, Stretch stretch, int shard) {
        if (stretch.ranges().isEmpty()) {
            return new KeyCursors(reads, stretch.query(), stretch.place());
        }
        TokenRange.Linear whole = new TokenRange.Linear(stretch.ranges().get(0).first(), stretch.lastToken());
        return new RangeCursors(reads, shard, whole, stretch.place());
    }
}
