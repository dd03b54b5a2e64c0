package io.anneal.streaming;

import io.anneal.node.Receiving;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a target received.
 *
 * @param sstables that came as they are
 * @param parts SSTables that were made of parts of others, which the ranges cut
 * @param rows that came one by one, out of SSTables of which only rows were sent
 * @param bytes that came over the network for all of it, over all attempts
 * @param importDeadlineSeconds when what waits for import must be imported at the latest, or {@link Receiving#NO_DEADLINE}
 * @param stagedIn directories of the target in which it waits for {@code nodetool import}; none where nothing waits
 */
public record StreamReport(
        int sstables, int parts, long rows, long bytes, long importDeadlineSeconds, List<String> stagedIn) {
    /** What it is before anything came. */
    public static final StreamReport NOTHING = new StreamReport(0, 0, 0, 0, Receiving.NO_DEADLINE, List.of());

    public StreamReport {
        stagedIn = List.copyOf(stagedIn);
    }

    /** Both together. */
    public StreamReport plus(StreamReport other) {
        return new StreamReport(
                sstables + other.sstables,
                parts + other.parts,
                rows + other.rows,
                bytes + other.bytes,
                Math.min(importDeadlineSeconds, other.importDeadlineSeconds),
                Stream.concat(stagedIn.stream(), other.stagedIn.stream())
                        .distinct()
                        .toList());
    }
}
