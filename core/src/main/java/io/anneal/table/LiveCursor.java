package io.anneal.table;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A cursor over a live set, which it holds until it is closed, or forgotten. Fails once its table is closed. Counts what it passes. One
 * thread.
 */
final class LiveCursor extends ForwardingCursor implements ReadCursor {
    /** Told once, when the cursor is closed. */
    interface Listener {
        void closed(long rowCount, long tombstoneCount);
    }

    private final LiveSet set;
    private final Predicate<LiveSet> isCurrent;
    private final OpenCursors cursors;
    private final OpenCursors.Lease lease;
    private final BooleanSupplier closed;
    private final String table;
    private final Listener listener;
    private final FailureNotices notices;
    private long rowCount;
    private long tombstoneCount;
    private volatile boolean released;

    LiveCursor(
            FragmentCursor inner,
            LiveSet liveSet,
            Predicate<LiveSet> isCurrent,
            OpenCursors cursors,
            BooleanSupplier closed,
            String table,
            Listener listener,
            FailureNotices notices) {
        super(inner);
        set = liveSet;
        this.isCurrent = isCurrent;
        this.cursors = cursors;
        this.closed = closed;
        this.table = table;
        this.listener = listener;
        this.notices = notices;
        lease = cursors.opened(this, liveSet, table);
    }

    @Override
    public FragmentKind advance() throws IOException {
        requireOpen();
        FragmentKind kind = innerAdvance();
        if (kind == FragmentKind.CLUSTERING_ROW) {
            rowCount++;
            tombstoneCount += inner.row().hasDeletion() ? 1 : 0;
        } else if (kind == FragmentKind.RANGE_TOMBSTONE_CHANGE
                || kind == FragmentKind.PARTITION_START
                        && inner.partitionDeletionTimestampMicros() != DeletionTime.NO_TIMESTAMP) {
            tombstoneCount++;
        }
        // What is released under a step that goes on would be somebody else's.
        Reference.reachabilityFence(this);
        return kind;
    }

    private FragmentKind innerAdvance() throws IOException {
        try {
            return inner.advance();
        } catch (IOException e) {
            throw heeded(e);
        }
    }

    @Override
    public void nextPartition() throws IOException {
        requireOpen();
        try {
            inner.nextPartition();
        } catch (IOException e) {
            throw heeded(e);
        }
        Reference.reachabilityFence(this);
    }

    @Override
    public void forwardTo(long token) throws IOException {
        requireOpen();
        try {
            inner.forwardTo(token);
        } catch (IOException e) {
            throw heeded(e);
        }
        Reference.reachabilityFence(this);
    }

    @Override
    public boolean isCurrent() {
        return !released && isCurrent.test(set);
    }

    @Override
    public long obsoleteBytes() {
        return released ? 0 : set.obsoleteBytes();
    }

    private void requireOpen() {
        if (released) {
            throw closedFailure(table, null);
        }
        requireOpen(closed, table, null);
    }

    private IOException heeded(IOException failure) {
        requireOpen(closed, table, failure);
        if (failure instanceof CorruptSSTableException corrupt) {
            notices.sstableCorrupt(table, corrupt);
        }
        return failure;
    }

    /**
     * The files of a table that is dropped go away under its readers: what fails then says nothing of the files.
     *
     * @param failure that a read ended with, or null
     * @throws IllegalStateException when the table is closed
     */
    static void requireOpen(BooleanSupplier closed, String table, Exception failure) {
        if (closed.getAsBoolean()) {
            throw closedFailure(table, failure);
        }
    }

    private static IllegalStateException closedFailure(String table, Exception failure) {
        return new IllegalStateException(
                "cursor is closed, or its table is closed or dropped, table=" + table, failure);
    }

    @Override
    public void close() throws IOException {
        if (released) {
            return;
        }
        released = true;
        listener.closed(rowCount, tombstoneCount);
        try {
            inner.close();
        } finally {
            cursors.closed(lease);
        }
    }
}
