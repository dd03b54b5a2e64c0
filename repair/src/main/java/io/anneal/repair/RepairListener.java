package io.anneal.repair;

import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.util.Optional;

/** Watches a repair; called on the master's thread. */
public interface RepairListener {
    RepairListener NONE = new RepairListener() {};

    /** The repair begins, of a table whose schema this is; not called when the master is another node. */
    default void begins(TableSchema schema) {}

    /**
     * A window was reconciled, or more; numbers are those of the whole session so far.
     *
     * @param boundary up to where; empty when the master is another node
     */
    default void progress(long windows, long rowsRead, long bytesRead, Optional<RingPosition> boundary) {}

    /** Replicas hold different deletions of this partition, or of a range of it. */
    default void deletionDiffers(DecoratedKey key) {}

    /** Replicas hold different rows at this place. */
    default void rowDiffers(RingPosition position) {}
}
