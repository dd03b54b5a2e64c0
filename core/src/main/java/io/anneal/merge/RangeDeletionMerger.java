package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Range deletions of one partition, of several peers and in any order, made into disjoint intervals: at each place the
 * greatest deletion, where it beats the partition deletion; adjacent equal intervals are one. Sweeps over the sorted
 * bounds and keeps the open deletions in a sorted multiset, so n intervals cost n log n however they overlap. Owned by
 * one thread.
 */
public final class RangeDeletionMerger {
    private static final Comparator<DeletionTime> BY_STRENGTH = Comparator.comparingLong(DeletionTime::timestampMicros)
            .thenComparingLong(DeletionTime::localDeletionTimeSeconds);

    private record Bound(Clustering prefix, int weight, DeletionTime deletion, boolean opens) {}

    private final ClusteringComparator comparator;
    private final List<Bound> bounds = new ArrayList<>();

    public RangeDeletionMerger(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
    }

    /** Adds a copy of the interval; one that ends before it starts covers nothing. */
    public void add(RangeDeletion range) {
        if (comparator.compare(range.start(), range.startWeight(), range.end(), range.endWeight()) >= 0) {
            return;
        }
        DeletionTime deletion = new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
        bounds.add(new Bound(range.start().copy(), range.startWeight(), deletion, true));
        bounds.add(new Bound(range.end().copy(), range.endWeight(), deletion, false));
    }

    /** Forgets everything. */
    public void clear() {
        bounds.clear();
    }

    /**
     * Hands out the intervals in order, each valid during the call only.
     *
     * @param partitionDeletion {@link DeletionTime#LIVE} for none
     */
    public void merge(DeletionTime partitionDeletion, Consumer<RangeDeletion> out) {
        bounds.sort((left, right) -> compare(left, right));
        TreeMap<DeletionTime, Integer> open = new TreeMap<>(BY_STRENGTH);
        RangeDeletion interval = new RangeDeletion();
        DeletionTime active = DeletionTime.LIVE;
        Bound since = null;
        for (int i = 0; i < bounds.size(); i++) {
            Bound bound = bounds.get(i);
            open.merge(bound.deletion(), bound.opens() ? 1 : -1, RangeDeletionMerger::sumOrNothing);
            if (i + 1 < bounds.size() && compare(bound, bounds.get(i + 1)) == 0) {
                continue;
            }
            DeletionTime next = open.isEmpty() ? DeletionTime.LIVE : open.lastKey();
            next = next.supersedes(partitionDeletion) ? next : DeletionTime.LIVE;
            if (next.equals(active)) {
                continue;
            }
            if (!active.isLive()) {
                interval.start().wrap(since.prefix());
                interval.end().wrap(bound.prefix());
                interval.weights(since.weight(), bound.weight());
                interval.deletion(active.timestampMicros(), active.localDeletionTimeSeconds());
                out.accept(interval);
            }
            active = next;
            since = bound;
        }
        assert open.isEmpty() : open;
    }

    private int compare(Bound left, Bound right) {
        return comparator.compare(left.prefix(), left.weight(), right.prefix(), right.weight());
    }

    /** Bounds at one place come in any order, so a count may pass through -1. */
    private static Integer sumOrNothing(Integer left, Integer right) {
        return left + right == 0 ? null : left + right;
    }
}
