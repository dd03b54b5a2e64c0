package io.anneal.harness.store;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What a {@link PartitionDao} implements too if its store keeps the times of writes: what is copied with them loses against
 * whatever was written later, at whatever time it arrives. Any thread may call.
 */
public interface TimedPartitions {
    /** The partition's items in order, none if there is none. */
    CompletionStage<List<TimedItem>> readTimed(long a);

    /** Sets items as if they were written at their times. What has expired is left out. */
    CompletionStage<Void> writeTimed(long a, List<TimedItem> items);

    /** Takes items away that were seen: what was written to their places later than they were stays. */
    CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen);
}
