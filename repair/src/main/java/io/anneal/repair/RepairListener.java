package io.anneal.repair;

import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;

/** Watches a repair; called on the master's thread. */
public interface RepairListener {
    RepairListener NONE = new RepairListener() {};

    /** A window was reconciled; numbers are those of the whole session so far. */
    default void progress(long windows, long rowsRead, long bytesRead, RingPosition boundary) {}

    /** Replicas hold different deletions of this partition, or of a range of it. */
    default void deletionDiffers(DecoratedKey key) {}

    /** Replicas hold different rows at this place. */
    default void rowDiffers(RingPosition position) {}
}
