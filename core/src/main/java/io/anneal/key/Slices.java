package io.anneal.key;

import java.util.ArrayList;
import java.util.List;

/** Which rows of a partition are read: slices in clustering order that neither overlap nor touch. Immutable. */
public final class Slices {
    /** All rows. */
    public static final Slices ALL = new Slices(List.of(Slice.ALL));

    /** No row: what is left is the partition deletion and the static row. */
    public static final Slices NONE = new Slices(List.of());

    private final List<Slice> slices;

    private Slices(List<Slice> slices) {
        this.slices = slices;
    }

    /** One slice, which must not be empty. */
    public static Slices of(Slice slice) {
        return new Slices(List.of(slice));
    }

    /** Slices in any order, which may overlap and may be empty. */
    public static Slices of(ClusteringComparator comparator, List<Slice> slices) {
        List<Slice> sorted = new ArrayList<>(slices);
        sorted.removeIf(slice -> slice.isEmpty(comparator));
        sorted.sort(
                (left, right) -> comparator.compare(left.from(), left.fromWeight(), right.from(), right.fromWeight()));
        List<Slice> joined = new ArrayList<>(sorted.size());
        for (Slice slice : sorted) {
            Slice last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last == null || comparator.compare(last.to(), last.toWeight(), slice.from(), slice.fromWeight()) < 0) {
                joined.add(slice);
            } else if (comparator.compare(last.to(), last.toWeight(), slice.to(), slice.toWeight()) < 0) {
                joined.set(joined.size() - 1, new Slice(last.from(), last.fromWeight(), slice.to(), slice.toWeight()));
            }
        }
        return new Slices(List.copyOf(joined));
    }

    /** Single rows, or all rows that begin with one of the prefixes. */
    public static Slices ofClusterings(ClusteringComparator comparator, List<Clustering> prefixes) {
        return of(comparator, prefixes.stream().map(Slice::of).toList());
    }

    public int size() {
        return slices.size();
    }

    public Slice get(int index) {
        return slices.get(index);
    }

    public boolean contains(Clustering clustering, ClusteringComparator comparator) {
        return slices.stream().anyMatch(slice -> slice.contains(clustering, comparator));
    }
}
