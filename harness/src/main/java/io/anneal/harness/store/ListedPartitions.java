package io.anneal.harness.store;

import java.util.Collection;

/** Of a {@link PartitionDao}: a store that can list its keys. */
public interface ListedPartitions {
    /** The keys of all partitions that have items, in an order that stays the same. */
    Collection<Long> keys();
}
