package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.PositionInPartition;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/**
 * What a {@code SELECT} shows of a merged cursor at a time: rows that exist then, of them what has not expired, and partitions
 * that have a row or static values. There are no deletions in it. A row exists if its liveness does, or a cell of a column
 * that was not dropped; in a materialized view it may need liveness ({@link TableSchema#needsLiveness}). In a compact table that declares no clustering no row does, only static values.
 *
 * <p>Behind a row that shows there may lie any number that do not. {@link #pauseAt} bounds how many of them are passed in one
 * call. Allocates nothing per row. Closes the inner cursor. Owned by one thread.
 */
public final class SelectCursor extends ForwardingCursor {
    private final boolean hidesRows;
    private final boolean needsLiveness;
    /** By index; null where nothing was dropped. */
    private final boolean[] staticDropped;

    private final boolean[] regularDropped;

    private long nowSeconds;
    private Row view = new Row();
    private Row row;
    private int kind = FragmentKind.NONE;
    private int kindAhead = FragmentKind.NONE;
    /** Whether the current partition was shown to have something. */
    private boolean isStarted;

    private boolean isPaused;
    private long tombstoneCount;
    private long pauseAtCount = Long.MAX_VALUE;

    /**
     * Shows what there is at a time.
     *
     * @param inner merged, nothing purged or some; in either order
     */
    public SelectCursor(FragmentCursor inner, long nowSeconds) {
        super(inner);
        this.nowSeconds = nowSeconds;
        TableSchema schema = inner.schema();
        hidesRows = schema.clustering().stream().anyMatch(schema::isHidden);
        needsLiveness = schema.needsLiveness();
        staticDropped = dropped(schema.staticColumns());
        regularDropped = dropped(schema.regularColumns());
    }

    private static boolean[] dropped(List<Column> columns) {
        boolean[] dropped = null;
        for (Column column : columns) {
            if (column.dropped()) {
                dropped = dropped == null ? new boolean[columns.size()] : dropped;
                dropped[column.index()] = true;
            }
        }
        return dropped;
    }

    /** From the next {@link #advance()} on shows what there is at another time. */
    public void nowSeconds(long seconds) {
        nowSeconds = seconds;
    }

    /**
     * Tombstones passed so far, as Cassandra counts them for its warnings: cells that are deleted or have expired, other rows
     * that do not exist any more, changes of range deletions. Unlike there, partition deletions count as well, and what could
     * be purged: it was read.
     */
    public long tombstoneCount() {
        return tombstoneCount;
    }

    /**
     * From now on {@link #advance()} returns null once so many tombstones were passed in all and no row is found, with
     * {@link #isPaused()}. It passes something whenever it is called, so the limit need not be raised to go on.
     */
    public void pauseAt(long count) {
        pauseAtCount = count;
    }

    /**
     * Whether {@link #advance()} returned null for the number of tombstones, not at the end. Then {@link #key()} and
     * {@link #positionInPartition()} tell what was passed last, whether or not the partition's start was shown, and the next
     * {@code advance()} goes on behind it.
     */
    public boolean isPaused() {
        return isPaused;
    }

    @Override
    public FragmentKind advance() throws IOException {
        FragmentKind next = FragmentKind.ofCode(kindAhead);
        if (next == null) {
            Row recycled = Row.recycle(view);
            if (view != recycled) {
                view = recycled;
            }
            next = nextShown();
        } else {
            kindAhead = FragmentKind.NONE;
        }
        kind = FragmentKind.code(next);
        return next;
    }

    private FragmentKind nextShown() throws IOException {
        isPaused = false;
        while (true) {
            FragmentKind next = inner.advance();
            if (next == FragmentKind.CLUSTERING_ROW || next == FragmentKind.STATIC_ROW) {
                if (shows(inner.row())) {
                    return isStarted ? next : start(next);
                }
            } else if (next == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                tombstoneCount++;
            } else if (next == FragmentKind.PARTITION_START) {
                isStarted = false;
                tombstoneCount += inner.partitionDeletionTimestampMicros() == DeletionTime.NO_TIMESTAMP ? 0 : 1;
            } else if (next == null || isStarted) {
                return next;
            }
            if (tombstoneCount >= pauseAtCount) {
                isPaused = true;
                return null;
            }
        }
    }

    private FragmentKind start(FragmentKind first) {
        isStarted = true;
        kindAhead = FragmentKind.code(first);
        return FragmentKind.PARTITION_START;
    }

    /** Whether a row exists; what of it does becomes the current one. */
    private boolean shows(Row read) {
        if (hidesRows && !read.isStatic()) {
            return false;
        }
        boolean[] dropped = read.isStatic() ? staticDropped : regularDropped;
        boolean hasLiveness = read.hasLivenessAt(nowSeconds);
        if (needsLiveness && !hasLiveness) {
            tombstoneCount++;
            return false;
        }
        int count = read.entryCount();
        int liveCount = count;
        if (dropped != null || !read.isPlain()) {
            liveCount = 0;
            int deadCount = 0;
            for (int i = 0; i < count; i++) {
                if (isShown(read, i, dropped)) {
                    liveCount++;
                } else if (!read.isLiveAt(i, nowSeconds) && !read.isComplexDeletion(i)) {
                    deadCount++;
                }
            }
            tombstoneCount += deadCount;
            if (liveCount == 0 && !hasLiveness) {
                tombstoneCount += deadCount == 0 ? 1 : 0;
                return false;
            }
        } else if (count == 0 && !hasLiveness) {
            tombstoneCount++;
            return false;
        }
        boolean isWhole = liveCount == count && !read.hasDeletion() && hasLiveness == read.hasLiveness();
        Row shown = isWhole ? read : view(read, hasLiveness, dropped);
        // Nearly always the same one, and a comparison is cheaper than the collector's barrier.
        if (row != shown) {
            row = shown;
        }
        return true;
    }

    private boolean isShown(Row read, int entry, boolean[] dropped) {
        return read.isLiveAt(entry, nowSeconds) && (dropped == null || !dropped[read.columnIndex(entry)]);
    }

    private Row view(Row read, boolean hasLiveness, boolean[] dropped) {
        view.clear(read.isStatic());
        view.clustering().wrap(read.clustering());
        if (hasLiveness) {
            view.liveness(read.livenessTimestampMicros(), read.livenessTtlSeconds(), read.livenessExpirySeconds());
        }
        int count = read.entryCount();
        for (int i = 0; i < count; i++) {
            if (isShown(read, i, dropped)) {
                view.addEntryOf(read, i);
            }
        }
        return view;
    }

    @Override
    public FragmentKind kind() {
        return FragmentKind.ofCode(kind);
    }

    @Override
    public PositionInPartition positionInPartition() {
        return isPaused ? inner.positionInPartition() : super.positionInPartition();
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return DeletionTime.NO_TIMESTAMP;
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return DeletionTime.NO_DELETION_TIME;
    }

    @Override
    public Row row() {
        assert kind() == FragmentKind.STATIC_ROW || kind() == FragmentKind.CLUSTERING_ROW : kind();
        return row;
    }

    @Override
    public void nextPartition() throws IOException {
        inner.nextPartition();
        leavePartition();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (isPaused || kind != FragmentKind.NONE && kind() != FragmentKind.PARTITION_END) {
            if (key().token() >= token) {
                return;
            }
            nextPartition();
        }
        inner.forwardTo(token);
    }

    private void leavePartition() {
        kindAhead = FragmentKind.NONE;
        if (kind != FragmentKind.NONE) {
            kind = FragmentKind.code(FragmentKind.PARTITION_END);
        }
        isStarted = false;
    }

    @Override
    public void releaseRow() {
        view.release();
        super.releaseRow();
    }
}
