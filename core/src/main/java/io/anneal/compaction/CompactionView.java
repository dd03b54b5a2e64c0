package io.anneal.compaction;

import java.util.List;

/**
 * What there is of one table at one moment: what a strategy decides on.
 *
 * @param idle SSTables that may be compacted
 * @param busy SSTables that are being compacted
 * @param memtableMinTimestampMicros of all that is in memory, being flushed too; {@link Long#MAX_VALUE} when nothing is
 * @param nowSeconds since 1970
 */
public record CompactionView(
        List<CompactionCandidate> idle,
        List<CompactionCandidate> busy,
        long memtableMinTimestampMicros,
        long nowSeconds) {
    public CompactionView {
        idle = List.copyOf(idle);
        busy = List.copyOf(busy);
    }
}
