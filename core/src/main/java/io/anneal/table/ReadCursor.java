package io.anneal.table;

import io.anneal.fragment.FragmentCursor;

/** A cursor over a table that may be kept between the pages of a query, and tells what keeping it costs. */
public interface ReadCursor extends FragmentCursor {
    /**
     * Whether it still reads what the table is: the table has the same schema, was not truncated since, and both are open. What was
     * written since does not count. For any thread.
     */
    boolean isCurrent();

    /**
     * Bytes in memory and on disk that are there for cursors alone: memtables that are flushed, SSTables that were compacted
     * away. What several cursors hold counts for each of them. For any thread.
     */
    long obsoleteBytes();
}
