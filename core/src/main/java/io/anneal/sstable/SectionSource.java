package io.anneal.sstable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The sections of an SSTable on their way out, block after block: what the index says of some partitions, then chunks of
 * Data.db as they are stored. The same SSTable and ranges make the same bytes, so that a receiver can go on in the middle.
 * Chunks are neither read nor decompressed here. Owned by one thread at a time.
 */
public interface SectionSource extends Closeable {
    /** Moves to the next block; false behind the last one. */
    boolean next() throws IOException;

    /** What is sent before the chunks; valid until the next block. */
    ByteBuffer head();

    /** Where the block's chunks begin in Data.db. */
    long chunksPosition();

    /** How long the block's chunks are in Data.db; 0 when it has none. */
    long chunksLengthBytes();
}
