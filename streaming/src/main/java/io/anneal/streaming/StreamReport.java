package io.anneal.streaming;

import io.anneal.node.Receiving;

/**
 * What a target received.
 *
 * @param sstables that came as they are
 * @param rows that came one by one, out of SSTables that could not be sent as they are
 * @param bytes that came over the network for both, over all attempts
 * @param importDeadlineSeconds when what waits for import must be imported at the latest, or {@link Receiving#NO_DEADLINE}
 */
public record StreamReport(int sstables, long rows, long bytes, long importDeadlineSeconds) {
    static final StreamReport NOTHING = new StreamReport(0, 0, 0, Receiving.NO_DEADLINE);

    StreamReport plus(StreamReport other) {
        return new StreamReport(
                sstables + other.sstables,
                rows + other.rows,
                bytes + other.bytes,
                Math.min(importDeadlineSeconds, other.importDeadlineSeconds));
    }
}
