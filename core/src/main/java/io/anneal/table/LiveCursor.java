package io.anneal.table;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * A cursor over a live set, which it holds until it is closed. Fails once its table is closed. Counts what it passes. One
 * thread.
 */
final class LiveCursor extends ForwardingCursor {
    /** Told once, when the cursor is closed. */
    interface Listener {
        void closed(long rowCount, long tombstoneCount);
    }

    private final LiveSet liveSet;
    private final BooleanSupplier closed;
    private final String table;
    private final Listener listener;
    private final FailureNotices notices;
    private long rowCount;
    private long tombstoneCount;
    private boolean released;

    LiveCursor(
            FragmentCursor inner,
            LiveSet liveSet,
            BooleanSupplier closed,
            String table,
            Listener listener,
            FailureNotices notices) {
        super(inner);
        this.liveSet = liveSet;
        this.closed = closed;
        this.table = table;
        this.listener = listener;
        this.notices = notices;
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
        return kind;
    }

    private FragmentKind innerAdvance() throws IOException {
        try {
            return inner.advance();
        } catch (CorruptSSTableException e) {
            notices.sstableCorrupt(table, e);
            throw e;
        }
    }

    @Override
    public void nextPartition() throws IOException {
        requireOpen();
        inner.nextPartition();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        requireOpen();
        inner.forwardTo(token);
    }

    private void requireOpen() {
        if (released || closed.getAsBoolean()) {
            throw new IllegalStateException("cursor or its table is closed, table=" + table);
        }
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
            liveSet.release();
        }
    }
}
