package io.anneal.compaction;

import java.util.List;

/**
 * Which SSTables are compacted together, and into what. Inputs are of one shard or all shared, all repaired or all not.
 *
 * @param level of the outputs
 * @param outputSizeLimitBytes of an output on the disk, as far as it can be foretold; {@link #UNLIMITED} for one output
 * @param tokenParts into how many equal parts the ring is divided, at whose ends an output ends too; 1 for none
 */
public record CompactionTask(
        List<CompactionCandidate> inputs, int level, long outputSizeLimitBytes, int tokenParts, Reason reason) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Why. */
    public enum Reason {
        /** So says the strategy. */
        STRATEGY,
        /** Somebody asked for all of it. */
        MAJOR,
        /** The partitions of shared SSTables go to their shards. */
        RESHARD,
        /** One SSTable, of which much can be purged. */
        TOMBSTONES,
        /** All of it has expired: it is dropped, nothing is rewritten. */
        DROP_EXPIRED
    }

    public CompactionTask {
        inputs = List.copyOf(inputs);
        if (inputs.isEmpty() || level < 0 || outputSizeLimitBytes < 1 || tokenParts < 1) {
            throw new IllegalArgumentException("task is out of range, inputs=" + inputs.size() + ", level=" + level
                    + ", outputSizeLimitBytes=" + outputSizeLimitBytes + ", tokenParts=" + tokenParts);
        }
        CompactionCandidate first = inputs.get(0);
        for (CompactionCandidate input : inputs) {
            if (input.shard() != first.shard() || input.isRepaired() != first.isRepaired()) {
                throw new IllegalArgumentException("inputs do not belong together, sstable="
                        + first.reader().descriptor() + ", other="
                        + input.reader().descriptor());
            }
        }
    }

    /** One output, of level 0. */
    static CompactionTask of(List<CompactionCandidate> inputs, Reason reason) {
        return new CompactionTask(inputs, 0, UNLIMITED, 1, reason);
    }

    /** Of all inputs, on the disk. */
    public long onDiskBytes() {
        return inputs.stream().mapToLong(CompactionCandidate::onDiskBytes).sum();
    }

    /** What the outputs take on the disk at most, beside the inputs: nothing is purged, nothing expired. */
    public long outputBytesMax() {
        return reason == Reason.DROP_EXPIRED ? 0 : onDiskBytes();
    }
}
