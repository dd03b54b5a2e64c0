package io.anneal.sstable;

import io.anneal.fragment.FragmentCursor;
import java.io.IOException;

/** An SSTable that is being written, of one time window. One thread. */
final class WindowWriter {
    private final long window;
    private final FragmentWriter writer;
    private boolean inPartition;

    WindowWriter(long window, FragmentWriter writer) {
        this.window = window;
        this.writer = writer;
    }

    long window() {
        return window;
    }

    FragmentWriter writer() {
        return writer;
    }

    boolean isInPartition() {
        return inPartition;
    }

    void start(FragmentCursor cursor) throws IOException {
        writer.appendCurrent(cursor);
        inPartition = true;
    }

    /** Ends the partition, if it has any of it. */
    void end(FragmentCursor cursor) throws IOException {
        if (inPartition) {
            writer.appendCurrent(cursor);
            inPartition = false;
        }
    }
}
