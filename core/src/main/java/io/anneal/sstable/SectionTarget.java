package io.anneal.sstable;

import java.io.Closeable;
import java.io.IOException;

/**
 * Makes an SSTable of what a {@link SectionSource} sends. Nothing the source says is believed before it was checked: what is
 * wrong is refused, and nothing of it appears. One thread at a time.
 */
public interface SectionTarget extends IncomingBytes, Closeable {
    /** Whether something that came was refused or could not be written, so that this can only be closed. */
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
