package io.anneal.store;

import io.anneal.sstable.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Where the writes of a {@link SSTableWriter} go. Closing without {@link #finish()} removes everything. One thread. */
interface WriteSink extends Closeable {
    /** Takes the write; may keep what it points at. */
    void add(Write write) throws IOException;

    List<Descriptor> finish() throws IOException;
}
