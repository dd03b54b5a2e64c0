package io.anneal.sstable;

import java.io.IOException;

/** Where a table's new SSTables go: gives each its generation id. Safe to share between threads. */
public interface SSTableTarget {
    /** Starts one SSTable; the caller finishes or closes it. */
    FragmentWriter start(SSTableWriterConfig config) throws IOException;
}
