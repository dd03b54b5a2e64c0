package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import java.io.IOException;

/**
 * The purged view of a normalised cursor: what two replicas must agree on, what a compaction keeps. Rows go through a {@link
 * Purger}, purgeable range deletions count as none, partitions of which nothing is left are skipped. Closes the inner
 * cursor. Owned by one thread.
 */
public final class PurgeCursor extends ForwardingCursor {
    private final PurgeRule rule;
    private final Purger purger;
    private final RangeTombstoneChange change = new RangeTombstoneChange();

    private Row view = new Row();
    private Row row;
    private FragmentKind kind;
    private FragmentKind kindAhead;
    private long partitionTimestampMicros;
    private long partitionLocalDeletionTimeSeconds;
    private long openTimestampMicros;
    private long openLocalDeletionTimeSeconds;
    private long purgedPartitions;
    private long purgedRows;
    private long purgedEntries;
    private long purgedDeletions;

    public PurgeCursor(FragmentCursor inner, PurgeRule rule) {
        super(inner);
        this.rule = rule;
        purger = new Purger(inner.schema(), rule);
    }

    @Override
    public FragmentKind advance() throws IOException {
        if (kindAhead != null) {
            kind = kindAhead;
            kindAhead = null;
        } else if (kind == null || kind == FragmentKind.PARTITION_END) {
            kind = startPartition();
        } else {
            kind = nextFragment();
        }
        return kind;
    }

    private FragmentKind startPartition() throws IOException {
        while (inner.advance() != null) {
            partitionTimestampMicros = inner.partitionDeletionTimestampMicros();
            partitionLocalDeletionTimeSeconds = inner.partitionDeletionLocalTimeSeconds();
            openTimestampMicros = DeletionTime.NO_TIMESTAMP;
            openLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
            rule.startPartition(inner.key());
            if (rule.isPurgeable(partitionTimestampMicros, partitionLocalDeletionTimeSeconds)) {
                purgedDeletions++;
                partitionTimestampMicros = DeletionTime.NO_TIMESTAMP;
                partitionLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
            }
            if (partitionTimestampMicros != DeletionTime.NO_TIMESTAMP) {
                return FragmentKind.PARTITION_START;
            }
            FragmentKind first = nextFragment();
            if (first != FragmentKind.PARTITION_END) {
                kindAhead = first;
                return FragmentKind.PARTITION_START;
            }
            purgedPartitions++;
        }
        return null;
    }

    private FragmentKind nextFragment() throws IOException {
        while (true) {
            FragmentKind next = inner.advance();
            switch (next) {
                case STATIC_ROW, CLUSTERING_ROW -> {
                    if (purgeRow()) {
                        return next;
                    }
                }
                case RANGE_TOMBSTONE_CHANGE -> {
                    if (purgeChange()) {
                        return next;
                    }
                }
                case PARTITION_END -> {
                    return next;
                }
                case PARTITION_START -> throw new AssertionError(next);
            }
        }
    }

    private boolean purgeRow() {
        view = Row.recycle(view);
        Row unpurged = inner.row();
        if (!purger.purge(unpurged, view)) {
            row = unpurged;
            return !row.isEmpty();
        }
        row = view;
        purgedEntries += unpurged.entryCount() - view.entryCount();
        purgedDeletions += unpurged.hasDeletion() && !view.hasDeletion() ? 1 : 0;
        if (view.isEmpty()) {
            purgedRows++;
            return false;
        }
        return true;
    }

    private boolean purgeChange() {
        RangeTombstoneChange unpurged = inner.rangeTombstoneChange();
        long micros = unpurged.timestampMicros();
        long seconds = unpurged.localDeletionTimeSeconds();
        if (!unpurged.isLive() && rule.isPurgeable(micros, seconds)) {
            purgedDeletions++;
            micros = DeletionTime.NO_TIMESTAMP;
            seconds = DeletionTime.NO_DELETION_TIME;
        }
        if (micros == openTimestampMicros && seconds == openLocalDeletionTimeSeconds) {
            return false;
        }
        openTimestampMicros = micros;
        openLocalDeletionTimeSeconds = seconds;
        change.prefix().wrap(unpurged.prefix());
        change.weight(unpurged.weight());
        change.deletion(micros, seconds);
        return true;
    }

    /** What was left out so far. */
    public Purged purged() {
        return new Purged(purgedPartitions, purgedRows, purgedEntries, purgedDeletions);
    }

    @Override
    public void releaseRow() {
        view.release();
        super.releaseRow();
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return partitionTimestampMicros;
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return partitionLocalDeletionTimeSeconds;
    }

    @Override
    public Row row() {
        assert kind == FragmentKind.STATIC_ROW || kind == FragmentKind.CLUSTERING_ROW : kind;
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert kind == FragmentKind.RANGE_TOMBSTONE_CHANGE : kind;
        return change;
    }

    @Override
    public void nextPartition() throws IOException {
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            inner.nextPartition();
            kindAhead = null;
            kind = FragmentKind.PARTITION_END;
        }
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            if (key().token() >= token) {
                return;
            }
            nextPartition();
        }
        inner.forwardTo(token);
    }
}
