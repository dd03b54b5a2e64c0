package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;

/**
 * A pull reader over fragments. What every implementation guarantees:
 *
 * <ol>
 *   <li>Grammar: {@code (PARTITION_START STATIC_ROW? (CLUSTERING_ROW | RANGE_TOMBSTONE_CHANGE)* PARTITION_END)*}.
 *   <li>Order: partitions ascend by token, then unsigned key bytes, each key once; rows and changes ascend strictly by
 *       position in the partition.
 *   <li>Range deletions: at {@code PARTITION_END} none is open; a change never repeats the deletion that is open.
 *   <li>Validity: {@link #row()} and {@link #rangeTombstoneChange()} are valid until the next {@link #advance()},
 *       {@link #key()} and the partition deletion until the next {@code PARTITION_START}.
 *   <li>Suspension: between calls it holds no thread and no lock, only its position.
 *   <li>Closing releases what it opened; closing twice is harmless. After an exception only {@link #close()} is allowed.
 * </ol>
 *
 * <p>A reversed cursor over one partition keeps all of them but the second: its rows and changes descend strictly. A change
 * tells, as always, the deletion from here on in the direction of reading: where a cursor in order opens a deletion, the
 * reversed one closes it, at the same place with the same weight. Partition start and static row come first all the same.
 *
 * <p>Single-threaded. An SSTable's raw cursor may hold data that is shadowed or repeated in ways the merge resolves;
 * the guarantees above hold all the same.
 */
public interface FragmentCursor extends Closeable {
    TableSchema schema();

    /** Moves to the next fragment and returns its kind, or null at the end. */
    FragmentKind advance() throws IOException;

    /** Kind of the current fragment; null before the first {@link #advance()} and at the end. */
    FragmentKind kind();

    KeyView key();

    /** Timestamp of the partition deletion, or {@link DeletionTime#NO_TIMESTAMP}. */
    long partitionDeletionTimestampMicros();

    /** Local time of the partition deletion, or {@link DeletionTime#NO_DELETION_TIME}. */
    long partitionDeletionLocalTimeSeconds();

    /** The current row; only on {@code STATIC_ROW} and {@code CLUSTERING_ROW}. */
    Row row();

    /** The current change; only on {@code RANGE_TOMBSTONE_CHANGE}. */
    RangeTombstoneChange rangeTombstoneChange();

    /** Skips what is left of the current partition: the next {@link #advance()} finds a partition start or the end. */
    void nextPartition() throws IOException;

    /** Skips partitions whose token is below {@code token}; never goes back. */
    void forwardTo(long token) throws IOException;

    /** Asks before it reads a large row, from the next {@link #advance()} on. What is in memory anyway needs no question. */
    default void askBefore(LargeRows rows) {}

    /** Gives back the memory of a large row, which is not valid any more; the place of the cursor stays. */
    default void releaseRow() {}

    /** Heap that its buffers occupy, roughly; what is there without it does not count. */
    default long heldBytes() {
        return 0;
    }

    /** Where the current fragment stands; copies. */
    default PositionInPartition positionInPartition() {
        return switch (kind()) {
            case PARTITION_START -> PositionInPartition.START;
            case STATIC_ROW -> PositionInPartition.STATIC;
            case CLUSTERING_ROW -> PositionInPartition.at(row().clustering().copy());
            case RANGE_TOMBSTONE_CHANGE -> {
                Clustering prefix = rangeTombstoneChange().prefix().copy();
                yield new PositionInPartition(
                        PositionInPartition.Region.CLUSTERED,
                        prefix,
                        rangeTombstoneChange().weight());
            }
            case PARTITION_END -> PositionInPartition.END;
        };
    }

    @Override
    void close() throws IOException;
}
