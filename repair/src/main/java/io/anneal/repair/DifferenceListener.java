package io.anneal.repair;

import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;

/** Hears in what replicas differ, where the master is a replica of this process: another node only counts. */
public interface DifferenceListener {
    /** What is reported next is of this table. */
    default void begins(TableSchema schema) {}

    /** Replicas hold different deletions of this partition, or of a range of it. */
    default void deletionDiffers(DecoratedKey key) {}

    /** Replicas hold different rows at this place. */
    default void rowDiffers(RingPosition position) {}
}
