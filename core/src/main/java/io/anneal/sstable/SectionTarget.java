package io.anneal.sstable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes an SSTable of what a {@link SectionSource} sends. Nothing the source says is believed before it was checked: what is
 * wrong is refused, and nothing of it appears. One thread at a time.
 */
public interface SectionTarget extends Closeable {
    /** How many bytes have come: what comes next goes on here. */
    long position();

    /**
     * Takes what comes next.
     *
     * @throws CorruptSSTableException when it is nothing that a source sends; {@link #isBroken()} then
     */
    void append(ByteBuffer bytes) throws IOException;

    /** Whether something has failed, so that it can only be closed. */
    boolean isBroken();

    /**
     * Syncs all files and gives them their names.
     *
     * @throws CorruptSSTableException when something is missing
     */
    Descriptor publish() throws IOException;

    /** Removes everything that was not published. */
    @Override
    void close() throws IOException;
}
