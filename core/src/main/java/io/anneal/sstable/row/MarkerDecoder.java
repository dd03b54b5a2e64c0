package io.anneal.sstable.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteReader;
import io.anneal.key.ClusteringComparator;

/**
 * Turns the bounds and boundaries of range deletions into changes, and keeps which deletion is open: a bound that closes
 * another one is wrong. Allocates nothing. Owned by one thread.
 */
public final class MarkerDecoder {
    private final RowDecoder rows;
    private final RangeTombstoneChange change = new RangeTombstoneChange();
    private long openMicros = DeletionTime.NO_TIMESTAMP;
    private long openSeconds = DeletionTime.NO_DELETION_TIME;

    MarkerDecoder(RowDecoder rows) {
        this.rows = rows;
    }

    /** The change that was decoded last; whoever reads the bound points its prefix at the values. */
    RangeTombstoneChange change() {
        return change;
    }

    void beginPartition() {
        open(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
    }

    public boolean isOpen() {
        return openMicros != DeletionTime.NO_TIMESTAMP;
    }

    /** The deletion that is open where reading goes on, or none. */
    public void open(long micros, long seconds) {
        openMicros = micros;
        openSeconds = seconds;
    }

    public long openMicros() {
        return openMicros;
    }

    public long openSeconds() {
        return openSeconds;
    }

    /** Reads the deletions behind a bound; false when the deletion stays the same, which makes it no change. */
    boolean decode(ByteReader in, int kind) {
        boolean closes = closes(kind);
        boolean opens = opens(kind);
        if (!closes && !opens) {
            throw new MalformedRowException("kind is no bound's, kind=" + kind);
        }
        long micros = rows.readTimestamp(in);
        long seconds = rows.readDeletionLocalTime(in);
        if (!closes && isOpen()) {
            throw new MalformedRowException("range deletion begins inside another");
        }
        if (closes && (micros != openMicros || seconds != openSeconds)) {
            throw new MalformedRowException("range deletion closes another than is open, open=" + openMicros + "/"
                    + openSeconds + ", close=" + micros + "/" + seconds);
        }
        if (closes && opens) {
            micros = rows.readTimestamp(in);
            seconds = rows.readDeletionLocalTime(in);
        }
        boolean changes = !opens || micros != openMicros || seconds != openSeconds;
        if (opens) {
            open(micros, seconds);
        } else {
            open(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        }
        boolean before = kind <= UnfilteredFlags.EXCL_END_INCL_START_BOUNDARY;
        change.weight(before ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER);
        change.deletion(openMicros, openSeconds);
        return changes;
    }

    private static boolean opens(int kind) {
        return kind == UnfilteredFlags.INCL_START_BOUND || kind == UnfilteredFlags.EXCL_START_BOUND || isBoundary(kind);
    }

    private static boolean closes(int kind) {
        return kind == UnfilteredFlags.EXCL_END_BOUND || kind == UnfilteredFlags.INCL_END_BOUND || isBoundary(kind);
    }

    private static boolean isBoundary(int kind) {
        return kind == UnfilteredFlags.EXCL_END_INCL_START_BOUNDARY
                || kind == UnfilteredFlags.INCL_END_EXCL_START_BOUNDARY;
    }
}
