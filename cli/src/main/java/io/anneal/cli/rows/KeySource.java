package io.anneal.cli.rows;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import java.io.Closeable;
import java.io.IOException;

/** One partition as one file, or one replica behind a connection, has it. Owns the cursor. One thread. */
final class KeySource implements Closeable {
    private final String replica;
    private final String sstable;
    private final FragmentCursor cursor;
    private DeletionTime open = DeletionTime.LIVE;

    /** @param cursor stands before the partition's start */
    KeySource(String replica, String sstable, FragmentCursor cursor) {
        this.replica = replica;
        this.sstable = sstable;
        this.cursor = cursor;
    }

    String replica() {
        return replica;
    }

    /** The file's name without its component; what a replica merges of all its files is {@code merged}. */
    String sstable() {
        return sstable;
    }

    FragmentKind kind() {
        return cursor.kind();
    }

    void advance() throws IOException {
        cursor.advance();
    }

    DeletionTime partitionDeletion() {
        return new DeletionTime(cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
    }

    Row row() {
        return cursor.row();
    }

    RangeTombstoneChange change() {
        return cursor.rangeTombstoneChange();
    }

    /** The range deletion that covers what comes next. */
    DeletionTime open() {
        return open;
    }

    void applyChange() {
        open = new DeletionTime(change().timestampMicros(), change().localDeletionTimeSeconds());
    }

    boolean isAtEnd() {
        return kind() == FragmentKind.PARTITION_END;
    }

    Clustering prefix() {
        return kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE ? change().prefix() : row().clustering();
    }

    int weight() {
        return kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE ? change().weight() : ClusteringComparator.AT;
    }

    /** Static row, then places, then the end. */
    int compareTo(KeySource other, ClusteringComparator comparator) {
        int order = Integer.compare(rank(), other.rank());
        return order != 0 || rank() != 1
                ? order
                : comparator.compare(prefix(), weight(), other.prefix(), other.weight());
    }

    private int rank() {
        return switch (kind()) {
            case STATIC_ROW -> 0;
            case CLUSTERING_ROW, RANGE_TOMBSTONE_CHANGE -> 1;
            case PARTITION_END -> 2;
            case PARTITION_START -> throw new AssertionError(kind());
        };
    }

    @Override
    public void close() throws IOException {
        cursor.close();
    }
}
