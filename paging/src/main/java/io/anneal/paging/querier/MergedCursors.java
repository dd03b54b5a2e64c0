package io.anneal.paging.querier;

import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.RowFilter;
import io.anneal.schema.TableSchema;
import io.anneal.table.ReadCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cursors over what several replicas hold together: each replica is read page by page with its deletions, and what comes is merged. No
 * condition is tried before that: a replica that lacks a row's newest version would show an older one that meets it.
 *
 * @param replicas by the names by which they are reported
 * @param asking where replicas are asked at once
 */
record MergedCursors(TableSchema schema, Map<String, PageSource> replicas, ReadAhead asking) implements Cursors {
    @Override
    public ShardRule shards() {
        return new ShardRule(1, 0);
    }

    @Override
    public CursorSource of(PageRequest request, Stretch stretch, int shard) {
        return new Source(request, stretch);
    }

    private ReadCursor merged(PageRequest request, ReadQuery query, Optional<RingPosition> after) {
        List<ReplicaCursor> cursors = new ArrayList<>();
        PageRequest first = new PageRequest(
                request.queryId(), query, after, request.limits(), request.nowSeconds(), request.stateful());
        replicas.forEach(
                (name, replica) -> cursors.add(new ReplicaCursor(name, replica, schema, first, cursors, asking)));
        return new MergedCursor(
                query.reversed() ? MergeCursor.ofReversed(schema, cursors) : MergeCursor.of(schema, cursors));
    }

    /** What is left of the partition in which it begins, with its deletion and its static row; then all that comes after it. */
    private final class Source implements CursorSource {
        private final PageRequest request;
        private final Stretch stretch;
        private final Optional<RingPosition> place;
        private Optional<Slices> rest = Optional.empty();
        private boolean isDone;

        Source(PageRequest request, Stretch stretch) {
            this.request = request;
            this.stretch = stretch;
            place = stretch.place();
            ReadQuery query = stretch.query();
            if (place.isPresent() && !place.get().isBetweenTokens()) {
                rest = SlicesAfter.of(
                        query.slices(), place.get().position(), query.reversed(), ClusteringComparator.of(schema));
            }
        }

        @Override
        public Optional<PositionInPartition> rest() {
            return isDone ? Optional.empty() : place.map(RingPosition::position);
        }

        @Override
        public ReadCursor next() {
            if (rest.isPresent()) {
                DecoratedKey key = place.orElseThrow().key().orElseThrow();
                ReadQuery partition = query(List.of(), List.of(key), rest.get());
                rest = Optional.empty();
                return merged(request, partition, Optional.empty());
            }
            if (isDone) {
                return null;
            }
            isDone = true;
            Optional<RingPosition> after = place.map(last ->
                    last.isBetweenTokens() ? last : RingPosition.of(last.key().orElseThrow(), PositionInPartition.END));
            List<DecoratedKey> keys = stretch.query().keys();
            if (!keys.isEmpty() && after.isPresent()) {
                DecoratedKey last = after.get().key().orElseThrow();
                keys = keys.stream().filter(key -> key.compareTo(last) > 0).toList();
                after = Optional.empty();
                if (keys.isEmpty()) {
                    return null;
                }
            }
            return merged(request, query(stretch.ranges(), keys, stretch.query().slices()), after);
        }

        private ReadQuery query(List<TokenRange.Linear> ranges, List<DecoratedKey> keys, Slices slices) {
            return new ReadQuery(ranges, keys, slices, stretch.query().reversed(), RowFilter.ALL, true);
        }
    }
}
