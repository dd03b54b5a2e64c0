package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;

/**
 * A closed interval of the clustering order that one deletion covers: the unit in which range deletions are hashed and
 * sent (rule 12 of the canonical form). Each bound is a prefix and {@link ClusteringComparator#BEFORE} or
 * {@link ClusteringComparator#AFTER}. A flyweight: whoever hands it out says how long it stays valid; {@link #copy()}
 * owns its bytes.
 */
public final class RangeDeletion {
    private final Clustering start = new Clustering();
    private final Clustering end = new Clustering();
    private int startWeight = ClusteringComparator.BEFORE;
    private int endWeight = ClusteringComparator.AFTER;
    private long timestampMicros = DeletionTime.NO_TIMESTAMP;
    private long localDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;

    /** Prefix of the start: re-pointed by whoever fills this in. */
    public Clustering start() {
        return start;
    }

    public int startWeight() {
        return startWeight;
    }

    /** Prefix of the end: re-pointed by whoever fills this in. */
    public Clustering end() {
        return end;
    }

    public int endWeight() {
        return endWeight;
    }

    public void weights(int startBeforeOrAfter, int endBeforeOrAfter) {
        assert startBeforeOrAfter != ClusteringComparator.AT;
        assert endBeforeOrAfter != ClusteringComparator.AT;
        startWeight = startBeforeOrAfter;
        endWeight = endBeforeOrAfter;
    }

    public long timestampMicros() {
        return timestampMicros;
    }

    public long localDeletionTimeSeconds() {
        return localDeletionTimeSeconds;
    }

    public void deletion(long micros, long localSeconds) {
        timestampMicros = micros;
        localDeletionTimeSeconds = localSeconds;
    }

    /** Points at the same bytes as {@code other}. */
    public RangeDeletion wrap(RangeDeletion other) {
        start.wrap(other.start);
        end.wrap(other.end);
        weights(other.startWeight, other.endWeight);
        deletion(other.timestampMicros, other.localDeletionTimeSeconds);
        return this;
    }

    /** A copy that owns its bytes. */
    public RangeDeletion copy() {
        RangeDeletion copy = new RangeDeletion().wrap(this);
        copy.start.wrap(start.copy());
        copy.end.wrap(end.copy());
        return copy;
    }
}
