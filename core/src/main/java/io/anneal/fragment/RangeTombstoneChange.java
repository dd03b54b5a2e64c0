package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;

/**
 * From here on, up to the next change, rows are covered by this deletion, or by none. The place is a prefix and
 * {@link ClusteringComparator#BEFORE} or {@link ClusteringComparator#AFTER}, so that one change can close a deletion and
 * open the next. A flyweight filled in by its cursor and valid until the next {@code advance()}.
 */
public final class RangeTombstoneChange {
    private final Clustering prefix = new Clustering();
    private int weight;
    private long timestampMicros;
    private long localDeletionTimeSeconds;

    /** Where: re-pointed by whoever fills the change in. */
    public Clustering prefix() {
        return prefix;
    }

    /** {@link ClusteringComparator#BEFORE} or {@link ClusteringComparator#AFTER}. */
    public int weight() {
        return weight;
    }

    public void weight(int beforeOrAfter) {
        assert beforeOrAfter == ClusteringComparator.BEFORE || beforeOrAfter == ClusteringComparator.AFTER;
        weight = beforeOrAfter;
    }

    /** Whether nothing is deleted from here on. */
    public boolean isLive() {
        return DeletionTime.isLive(timestampMicros, localDeletionTimeSeconds);
    }

    public long timestampMicros() {
        return timestampMicros;
    }

    public long localDeletionTimeSeconds() {
        return localDeletionTimeSeconds;
    }

    /** The deletion from here on; {@link DeletionTime#LIVE} for none. */
    public void deletion(long micros, long localSeconds) {
        timestampMicros = micros;
        localDeletionTimeSeconds = localSeconds;
    }
}
