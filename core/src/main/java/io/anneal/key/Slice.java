package io.anneal.key;

/**
 * A range of clusterings in a partition, from one place to another in clustering order (so from the greater value to the
 * smaller one where a column is {@code DESC}). Both ends are a prefix with {@link ClusteringComparator#BEFORE} or
 * {@link ClusteringComparator#AFTER}; an empty prefix is the partition's end on that side. The prefixes must own their bytes.
 * Immutable by agreement.
 */
public record Slice(Clustering from, int fromWeight, Clustering to, int toWeight) {
    private static final Clustering NO_PREFIX = new Clustering();

    /** All rows of a partition. */
    public static final Slice ALL =
            new Slice(NO_PREFIX, ClusteringComparator.BEFORE, NO_PREFIX, ClusteringComparator.AFTER);

    public Slice {
        if (fromWeight == ClusteringComparator.AT || toWeight == ClusteringComparator.AT) {
            throw new IllegalArgumentException("slice ends at a row, neither before nor after it");
        }
    }

    /** All rows that begin with {@code prefix}: with a whole clustering, one row. */
    public static Slice of(Clustering prefix) {
        return new Slice(prefix, ClusteringComparator.BEFORE, prefix, ClusteringComparator.AFTER);
    }

    /** Rows from one prefix to another; inclusive takes in everything that begins with it. */
    public static Slice between(Clustering from, boolean fromInclusive, Clustering to, boolean toInclusive) {
        return new Slice(
                from,
                fromInclusive ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER,
                to,
                toInclusive ? ClusteringComparator.AFTER : ClusteringComparator.BEFORE);
    }

    /** Rows from a prefix on, to the partition's end. */
    public static Slice from(Clustering from, boolean inclusive) {
        return between(from, inclusive, NO_PREFIX, true);
    }

    /** Rows from the partition's begin to a prefix. */
    public static Slice to(Clustering to, boolean inclusive) {
        return between(NO_PREFIX, true, to, inclusive);
    }

    /** Whether no row can lie in it. */
    public boolean isEmpty(ClusteringComparator comparator) {
        return comparator.compare(from, fromWeight, to, toWeight) >= 0;
    }

    public boolean contains(Clustering clustering, ClusteringComparator comparator) {
        return comparator.compare(from, fromWeight, clustering, ClusteringComparator.AT) < 0
                && comparator.compare(clustering, ClusteringComparator.AT, to, toWeight) < 0;
    }
}
