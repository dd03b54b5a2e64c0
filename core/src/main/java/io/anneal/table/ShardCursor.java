package io.anneal.table;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.ShardRule;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * Of an SSTable that several shards have data in, what belongs to one. What lies between two parts of the shard is skipped
 * by the index where it is long, and passed over by the sizes of its rows where to ask the index would take longer. Owned by one
 * thread.
 */
final class ShardCursor extends ForwardingCursor {
    /** Two parts of a shard that lie further apart, on average. */
    private static final long SKIPPED_BYTES_MIN = 64 * 1024;

    private final ShardRule shards;
    private final int shard;
    private final boolean skips;

    private ShardCursor(SSTableCursor inner, ShardRule shards, int shard, boolean skips) {
        super(inner);
        this.shards = shards;
        this.shard = shard;
        this.skips = skips;
    }

    static ShardCursor of(SSTableReader reader, SSTableCursor inner, ShardRule shards, int shard) {
        boolean isFound = reader.descriptor().has(Component.SUMMARY)
                || reader.descriptor().has(Component.PARTITIONS);
        boolean skips = isFound && reader.dataLengthBytes() >>> shards.ignoredBits() > SKIPPED_BYTES_MIN;
        return new ShardCursor(inner, shards, shard, skips);
    }

    @Override
    public FragmentKind advance() throws IOException {
        FragmentKind next = inner.advance();
        while (next == FragmentKind.PARTITION_START && shards.shardOf(key().token()) != shard) {
            OptionalLong own = shards.ceiling(shard, key().token());
            if (own.isEmpty()) {
                inner.close();
                return null;
            }
            if (skips) {
                inner.forwardTo(own.getAsLong());
            } else {
                inner.nextPartition();
            }
            next = inner.advance();
        }
        return next;
    }
}
