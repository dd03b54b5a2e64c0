package io.anneal.key;

/**
 * A place between or at the fragments of a partition: a region, and in {@link Region#CLUSTERED} a prefix with a weight
 * of {@link ClusteringComparator}. The prefix must own its bytes. Immutable by agreement.
 */
public record PositionInPartition(Region region, Clustering prefix, int weight) {
    /** Parts of a partition in order. */
    public enum Region {
        START,
        STATIC,
        CLUSTERED,
        END
    }

    private static final Clustering NO_PREFIX = new Clustering();
    public static final PositionInPartition START =
            new PositionInPartition(Region.START, NO_PREFIX, ClusteringComparator.AT);
    public static final PositionInPartition STATIC =
            new PositionInPartition(Region.STATIC, NO_PREFIX, ClusteringComparator.AT);
    public static final PositionInPartition END =
            new PositionInPartition(Region.END, NO_PREFIX, ClusteringComparator.AT);

    /** The place of a row. */
    public static PositionInPartition at(Clustering clustering) {
        return new PositionInPartition(Region.CLUSTERED, clustering, ClusteringComparator.AT);
    }

    /** The place before everything that begins with {@code prefix}. */
    public static PositionInPartition before(Clustering prefix) {
        return new PositionInPartition(Region.CLUSTERED, prefix, ClusteringComparator.BEFORE);
    }

    /** The place after everything that begins with {@code prefix}. */
    public static PositionInPartition after(Clustering prefix) {
        return new PositionInPartition(Region.CLUSTERED, prefix, ClusteringComparator.AFTER);
    }

    public int compareTo(PositionInPartition other, ClusteringComparator comparator) {
        int byRegion = region.compareTo(other.region);
        if (byRegion != 0 || region != Region.CLUSTERED) {
            return byRegion;
        }
        return comparator.compare(prefix, weight, other.prefix, other.weight);
    }
}
