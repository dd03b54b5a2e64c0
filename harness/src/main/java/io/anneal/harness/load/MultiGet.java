package io.anneal.harness.load;

import io.anneal.harness.store.Partition;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Reads many partitions at once and waits for the slowest. */
@FunctionalInterface
public interface MultiGet {
    /** The partitions that are there, by key. May block the caller, which is one of the load's own threads. */
    CompletionStage<Map<Long, Partition>> read(Collection<Long> keys);
}
