package io.anneal.repair;

import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/** Hears in what replicas differ. What it throws ends the repair. */
public interface DifferenceListener {
    /**
     * What is reported next is of this table.
     *
     * @param replicas names of those of the range, the master's first; none where a session tells, which does not know them
     */
    default void begins(TableSchema schema, List<String> replicas) throws IOException {}

    /** Replicas hold different deletions of a partition, or of a range of it. */
    default void deletionDiffers(DeletionDifference difference) throws IOException {}

    /** Replicas hold different rows at a place. */
    default void rowDiffers(RowDifference difference) throws IOException {}

    /** All was told of the ranges of which the table was begun. A session does not say it: who watches it sees its end. */
    default void ends() throws IOException {}
}
