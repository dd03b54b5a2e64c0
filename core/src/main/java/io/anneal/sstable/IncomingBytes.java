package io.anneal.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes bytes that come from elsewhere, one after the other. */
public interface IncomingBytes {
    /** How many have come: what comes next goes on here. */
    long position();

    /**
     * Takes the remaining bytes.
     *
     * @throws CorruptSSTableException when they are not what was announced, or more
     */
    void append(ByteBuffer bytes) throws IOException;
}
