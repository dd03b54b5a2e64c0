package io.anneal.paging.querier;

import io.anneal.key.ShardRule;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.TableSchema;

/** Where what is paged comes from: the shards of a table in this process, or several replicas that are merged. Any thread. */
interface Cursors {
    TableSchema schema();

    /** Which shard has which tokens; what is merged is one shard. */
    ShardRule shards();

    /** A shard's part of a stretch, of which nothing is opened yet. */
    CursorSource of(PageRequest request, Stretch stretch, int shard);
}
