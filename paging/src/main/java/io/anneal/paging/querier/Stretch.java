package io.anneal.paging.querier;

import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A part of a query in which tokens ascend, so that one cursor a shard reads all of it: ranges, or partitions by key.
 *
 * @param ranges none for partitions by key
 * @param place after which it is read; empty for all of it
 */
record Stretch(ReadQuery query, List<TokenRange.Linear> ranges, Optional<RingPosition> place) {

    /** What is left of a query. */
    static List<Stretch> of(PageRequest request) {
        ReadQuery query = request.query();
        Optional<RingPosition> place = request.after();
        if (place.isPresent() && place.get().isEnd()) {
            return List.of();
        }
        if (query.ranges().isEmpty()) {
            return List.of(new Stretch(query, List.of(), place));
        }
        List<Stretch> stretches = new ArrayList<>();
        int first = place.map(query::indexOf).orElse(0);
        if (first < query.ranges().size()) {
            TokenRange.Linear range = query.ranges().get(first);
            place = place.filter(
                    after -> range.contains(after.key().orElseThrow().token()));
        }
        while (first < query.ranges().size()) {
            int end = first + 1;
            while (end < query.ranges().size()
                    && query.ranges().get(end).first()
                            > query.ranges().get(end - 1).last()) {
                end++;
            }
            stretches.add(new Stretch(query, query.ranges().subList(first, end), place));
            place = Optional.empty();
            first = end;
        }
        return stretches;
    }

    long firstToken() {
        return place.isPresent()
                ? place.get().key().orElseThrow().token()
                : ranges.get(0).first();
    }

    long lastToken() {
        return ranges.get(ranges.size() - 1).last();
    }

    /** Its part up to a token. */
    Stretch upTo(long last) {
        return new Stretch(query, between(Long.MIN_VALUE, last), place);
    }

    /** Its part from a token on, which is behind the place. */
    Stretch from(long first) {
        return new Stretch(query, between(first, Long.MAX_VALUE), Optional.empty());
    }

    private List<TokenRange.Linear> between(long first, long last) {
        return ranges.stream()
                .filter(range -> range.last() >= first && range.first() <= last)
                .map(range -> new TokenRange.Linear(Math.max(range.first(), first), Math.min(range.last(), last)))
                .toList();
    }

    /** Token of the first partition that a shard may have in it. */
    OptionalLong firstToken(ShardRule shards, int shard) {
        if (ranges.isEmpty()) {
            return shard == 0 ? OptionalLong.of(Long.MIN_VALUE) : OptionalLong.empty();
        }
        OptionalLong first = shards.ceiling(shard, firstToken());
        return first.isPresent() && first.getAsLong() <= lastToken() ? first : OptionalLong.empty();
    }

    /** A reader of a shard's part, which has opened nothing yet; of all partitions by key, if they are named. */
    ShardReader reader(Cursors cursors, PageRequest request, TableSchema schema, int shard, long firstToken) {
        CursorSource source = cursors.of(request, this, shard);
        return new ShardReader(new BlockReader(query, schema, ranges, source, firstToken, request.nowSeconds()));
    }

    /** Whether another one has the same end: a reader of this one goes on with what is left of that one. */
    boolean endsAs(Stretch other) {
        List<DecoratedKey> keys = query.keys();
        List<DecoratedKey> otherKeys = other.query.keys();
        if (!keys.isEmpty() || !otherKeys.isEmpty()) {
            return keys.equals(otherKeys);
        }
        int common = Math.min(ranges.size(), other.ranges.size());
        return ranges.subList(ranges.size() - common, ranges.size())
                .equals(other.ranges.subList(other.ranges.size() - common, other.ranges.size()));
    }
}
