package io.anneal.sstable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import java.io.IOException;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Hands each fragment of a stream to the SSTable of its time window: a row by its newest write, a deletion by its own time.
 * What each SSTable gets is a stream, too, and all of them together are what came in: a range deletion that begins where one
 * of another window ends is closed in the one and opened in the other. Allocates nothing per row. One thread.
 *
 * <pre>
 *   in         start  row 1 (monday)  [deletion (tuesday)  row 2 (monday)  ]  end
 *   monday     start  row 1                                row 2              end
 *   tuesday    start                  [deletion                            ]  end
 * </pre>
 */
final class WindowRouter {
    /** Gives the SSTable of a window, begun if need be. */
    interface Writers {
        WindowWriter of(long window) throws IOException;

        List<WindowWriter> open();
    }

    private final LongUnaryOperator windowOf;
    private final Writers writers;
    /** Of a range deletion that is open, else null. */
    private WindowWriter deleting;

    private HandedFragment made;

    WindowRouter(LongUnaryOperator windowOf, Writers writers) {
        this.windowOf = windowOf;
        this.writers = writers;
    }

    void append(FragmentCursor cursor) throws IOException {
        switch (cursor.kind()) {
            case PARTITION_START -> start(cursor);
            case STATIC_ROW, CLUSTERING_ROW -> {
                Row row = cursor.row();
                if (!row.isEmpty()) {
                    inPartition(cursor, row.newestTimestampMicros()).writer().appendCurrent(cursor);
                }
            }
            case RANGE_TOMBSTONE_CHANGE -> change(cursor, cursor.rangeTombstoneChange());
            case PARTITION_END -> {
                for (WindowWriter open : writers.open()) {
                    open.end(cursor);
                }
            }
        }
    }

    private void start(FragmentCursor cursor) throws IOException {
        if (made == null) {
            made = new HandedFragment(cursor.schema());
        }
        deleting = null;
        long timestampMicros = cursor.partitionDeletionTimestampMicros();
        if (!DeletionTime.isLive(timestampMicros, cursor.partitionDeletionLocalTimeSeconds())) {
            writers.of(windowOf.applyAsLong(timestampMicros)).start(cursor);
        }
    }

    /** The SSTable of a time, with the cursor's partition open in it. */
    private WindowWriter inPartition(FragmentCursor cursor, long timestampMicros) throws IOException {
        WindowWriter into = writers.of(windowOf.applyAsLong(timestampMicros));
        if (!into.isInPartition()) {
            into.start(made.start(cursor.key(), DeletionTime.LIVE));
        }
        return into;
    }

    private void change(FragmentCursor cursor, RangeTombstoneChange change) throws IOException {
        WindowWriter next = change.isLive() ? null : inPartition(cursor, change.timestampMicros());
        if (deleting != null && deleting != next) {
            deleting.writer()
                    .appendCurrent(made.change(
                            change.prefix(),
                            change.weight(),
                            DeletionTime.NO_TIMESTAMP,
                            DeletionTime.NO_DELETION_TIME));
        }
        if (next != null) {
            next.writer().appendCurrent(cursor);
        }
        deleting = next;
    }
}
