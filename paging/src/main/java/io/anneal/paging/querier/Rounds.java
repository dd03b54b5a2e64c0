package io.anneal.paging.querier;

import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Stretches in rounds of 1, 2, 4 and so on chunks: a chunk is what one shard has of a range with no other shard's between. Who keeps
 * nothing between pages does not know how dense the table is, and reads more at once the longer a page stays short. Scylla
 * published the way. One thread.
 *
 * <pre>
 *   chunks   | 0 | 1 | 0 | 1 | 0 | 1 | 0 | ...      of shards 0 and 1
 *   rounds   |---|-------|---------------|
 * </pre>
 */
final class Rounds implements Iterator<Stretch> {
    private static final int CHUNKS_MAX = 1 << 16;

    private final ShardRule shards;
    private final Iterator<Stretch> stretches;
    /** Of the stretch that is under way; null when it is at its end. */
    private Stretch rest;

    private int chunkCount = 1;

    Rounds(List<Stretch> stretches, ShardRule shards) {
        this.stretches = stretches.iterator();
        this.shards = shards;
    }

    @Override
    public boolean hasNext() {
        return rest != null || stretches.hasNext();
    }

    /** A round of partitions by key is all of them. */
    @Override
    public Stretch next() {
        Stretch all = rest == null ? stretches.next() : rest;
        rest = null;
        if (all.ranges().isEmpty()) {
            return all;
        }
        long last = lastToken(all);
        chunkCount = Math.min(2 * chunkCount, CHUNKS_MAX);
        if (last == all.lastToken()) {
            return all;
        }
        rest = all.from(last + 1);
        return all.upTo(last);
    }

    private long lastToken(Stretch stretch) {
        int chunks = 0;
        long last = Long.MIN_VALUE;
        for (TokenRange.Linear range : stretch.ranges()) {
            long token = Math.max(range.first(), stretch.firstToken());
            while (chunks < chunkCount) {
                chunks++;
                last = Math.min(range.last(), lastOfChunk(token));
                if (last == range.last()) {
                    break;
                }
                token = last + 1;
            }
        }
        return last;
    }

    private long lastOfChunk(long token) {
        int owner = shards.shardOf(token);
        long last = Long.MAX_VALUE;
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            OptionalLong next = shard == owner ? OptionalLong.empty() : shards.ceiling(shard, token);
            if (next.isPresent()) {
                last = Math.min(last, next.getAsLong() - 1);
            }
        }
        return last;
    }
}
