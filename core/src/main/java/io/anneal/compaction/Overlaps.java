package io.anneal.compaction;

import io.anneal.key.KeyView;

/**
 * What a table holds beside the inputs of a compaction: memtables, those being flushed too, and SSTables. It is asked while the
 * compaction runs and must know what is live by then. Called on the compaction's thread.
 */
public interface Overlaps {
    /** Nothing else: everything is an input. */
    Overlaps NONE = key -> Long.MAX_VALUE;

    /**
     * The least timestamp of everything that may have the partition, {@link Long#MAX_VALUE} when nothing has: an SSTable that
     * may have the key ({@code SSTableReader.mayContain}) counts with the least of its timestamps.
     *
     * @param key valid during the call
     */
    long minTimestampMicros(KeyView key);
}
