package io.anneal.paging.querier;

import io.anneal.key.ClusteringComparator;
import io.anneal.key.PositionInPartition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What of slices lies after a place of their partition, in the direction of reading. */
final class SlicesAfter {
    private SlicesAfter() {}

    /** Returns nothing where the partition is done with, so that not even its static row is wanted any more. */
    static Optional<Slices> of(
            Slices slices, PositionInPartition place, boolean reversed, ClusteringComparator comparator) {
        if (place.region() == PositionInPartition.Region.END) {
            return Optional.empty();
        }
        if (place.region() != PositionInPartition.Region.CLUSTERED) {
            return Optional.of(slices);
        }
        Slices left = cut(slices, place, reversed, comparator);
        return left.size() == 0 && place.weight() == ClusteringComparator.AT ? Optional.empty() : Optional.of(left);
    }

    private static Slices cut(
            Slices slices, PositionInPartition place, boolean reversed, ClusteringComparator comparator) {
        List<Slice> left = new ArrayList<>(slices.size());
        for (int i = 0; i < slices.size(); i++) {
            Slice slice = slices.get(i);
            left.add(reversed ? before(slice, place, comparator) : after(slice, place, comparator));
        }
        // Drops those of which nothing is left.
        return Slices.of(comparator, left);
    }

    private static Slice after(Slice slice, PositionInPartition place, ClusteringComparator comparator) {
        int weight = place.weight() == ClusteringComparator.AT ? ClusteringComparator.AFTER : place.weight();
        return comparator.compare(slice.from(), slice.fromWeight(), place.prefix(), weight) >= 0
                ? slice
                : new Slice(place.prefix(), weight, slice.to(), slice.toWeight());
    }

    private static Slice before(Slice slice, PositionInPartition place, ClusteringComparator comparator) {
        int weight = place.weight() == ClusteringComparator.AT ? ClusteringComparator.BEFORE : place.weight();
        return comparator.compare(slice.to(), slice.toWeight(), place.prefix(), weight) <= 0
                ? slice
                : new Slice(slice.from(), slice.fromWeight(), place.prefix(), weight);
    }
}
