package io.anneal.compaction;

import io.anneal.merge.Purged;
import io.anneal.sstable.Descriptor;
import java.util.List;

/**
 * What a compaction came to.
 *
 * @param outputs complete and synced; none when nothing was left
 * @param readBytes of uncompressed data
 * @param writtenBytes of uncompressed data
 */
public record CompactionResult(
        CompactionTask task,
        List<Output> outputs,
        long readBytes,
        long writtenBytes,
        long partitionCount,
        long rowCount,
        Purged purged) {
    /** @param shard which owns all of its partitions */
    public record Output(Descriptor descriptor, int shard) {}

    public CompactionResult {
        outputs = List.copyOf(outputs);
    }
}
