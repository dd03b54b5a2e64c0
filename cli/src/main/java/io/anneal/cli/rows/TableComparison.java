package io.anneal.cli.rows;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.key.OwnedClustering;
import io.anneal.merge.LockStep;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Arrays;

/**
 * Two views of a table, merged and purged alike, walked place by place: what a repair would find to differ. Rows are equal
 * when their canonical encodings are; range deletions when, at every place, the same one is open. Holds one row of each side.
 * Does not close the cursors. One thread.
 */
final class TableComparison {
    /** Is told of differences in the order of the table; what it is handed is valid during the call. */
    interface Listener {
        /** {@link DeletionTime#LIVE} for none. */
        void partitionDeletion(KeyView key, DeletionTime left, DeletionTime right) throws IOException;

        /** Between two places different deletions are open; {@link DeletionTime#LIVE} for none. */
        void range(KeyView key, Place from, Place to, DeletionTime left, DeletionTime right) throws IOException;

        /** Null for the side that has no such row. */
        void row(KeyView key, Row left, Row right) throws IOException;

        /** One place is written in different bytes, as 1.0 and 1.00 are: equal to CQL, different to a hash. */
        void bytes(KeyView key, Clustering left, Clustering right) throws IOException;
    }

    /** A bound that is kept beyond its fragment. */
    static final class Place {
        private final OwnedClustering prefix = new OwnedClustering();
        private int weight;

        private void set(RangeTombstoneChange change) {
            prefix.set(change.prefix());
            weight = change.weight();
        }

        Clustering prefix() {
            return prefix.clustering();
        }

        int weight() {
            return weight;
        }
    }

    /** One of the two, as far as it has come. */
    private static final class Side {
        private final FragmentCursor cursor;
        /** Has the current partition. */
        private boolean isMember;

        private DeletionTime open = DeletionTime.LIVE;

        Side(FragmentCursor cursor) {
            this.cursor = cursor;
        }

        /** At the start of its next partition; null at the end. */
        Side nextPartition() throws IOException {
            return cursor.advance() != null ? this : null;
        }

        /** At the next fragment of the current partition; null at the end of that, and for a side that does not have it. */
        Side nextFragment() throws IOException {
            return isMember && cursor.advance() != FragmentKind.PARTITION_END ? this : null;
        }

        DeletionTime partitionDeletion() {
            return isMember
                    ? new DeletionTime(
                            cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds())
                    : DeletionTime.LIVE;
        }
    }

    private final Side left;
    private final Side right;
    private final LockStep<Side> partitions;
    private final Listener listener;
    private final ClusteringComparator comparator;
    private final CanonicalEncoder encoder;
    private final ByteWriter leftBytes = new ByteWriter(1024);
    private final ByteWriter rightBytes = new ByteWriter(1024);
    private final Place since = new Place();
    private final Place here = new Place();
    private final KeyView key = new KeyView();
    private long rowsCompared;
    private long rowsDiffering;
    private long deletionsDiffering;

    TableComparison(TableSchema schema, FragmentCursor left, FragmentCursor right, Listener listener) {
        this.left = new Side(left);
        this.right = new Side(right);
        partitions = new LockStep<>(
                this.left::nextPartition,
                this.right::nextPartition,
                (one, other) -> one.cursor.key().compareTo(other.cursor.key()));
        this.listener = listener;
        comparator = ClusteringComparator.of(schema);
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
    }

    long rowsCompared() {
        return rowsCompared;
    }

    long rowsDiffering() {
        return rowsDiffering;
    }

    /** Partition deletions and stretches of range deletions. */
    long deletionsDiffering() {
        return deletionsDiffering;
    }

    /** Compares the next partition that either has; false at the end. */
    boolean nextPartition() throws IOException {
        if (!partitions.next()) {
            return false;
        }
        left.isMember = partitions.left() != null;
        right.isMember = partitions.right() != null;
        key.wrap(partitions.either().cursor.key());
        partition();
        return true;
    }

    private void partition() throws IOException {
        DeletionTime leftDeletion = left.partitionDeletion();
        DeletionTime rightDeletion = right.partitionDeletion();
        if (!leftDeletion.equals(rightDeletion)) {
            deletionsDiffering++;
            listener.partitionDeletion(key, leftDeletion, rightDeletion);
        }
        left.open = DeletionTime.LIVE;
        right.open = DeletionTime.LIVE;
        LockStep<Side> fragments = new LockStep<>(left::nextFragment, right::nextFragment, this::compare);
        while (fragments.next()) {
            fragment(fragments.left() != null, fragments.right() != null);
        }
    }

    /** The static row comes before all others. */
    private int compare(Side one, Side other) {
        boolean isStatic = one.cursor.kind() == FragmentKind.STATIC_ROW;
        if (isStatic || other.cursor.kind() == FragmentKind.STATIC_ROW) {
            return Boolean.compare(other.cursor.kind() == FragmentKind.STATIC_ROW, isStatic);
        }
        return comparator.compare(prefix(one), weight(one), prefix(other), weight(other));
    }

    private static Clustering prefix(Side side) {
        return isChange(side)
                ? side.cursor.rangeTombstoneChange().prefix()
                : side.cursor.row().clustering();
    }

    private static int weight(Side side) {
        return isChange(side) ? side.cursor.rangeTombstoneChange().weight() : ClusteringComparator.AT;
    }

    private static boolean isChange(Side side) {
        return side.cursor.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    private void fragment(boolean hasLeft, boolean hasRight) throws IOException {
        if (isChange(hasLeft ? left : right)) {
            change(hasLeft, hasRight);
        } else {
            row(hasLeft ? left.cursor.row() : null, hasRight ? right.cursor.row() : null);
        }
    }

    private void row(Row leftRow, Row rightRow) throws IOException {
        rowsCompared++;
        if (leftRow != null && rightRow != null && isSame(leftRow, rightRow)) {
            return;
        }
        rowsDiffering++;
        if (leftRow != null
                && rightRow != null
                && !leftRow.isStatic()
                && leftRow.clustering().compareBytes(rightRow.clustering()) != 0) {
            listener.bytes(key, leftRow.clustering(), rightRow.clustering());
        }
        listener.row(key, leftRow, rightRow);
    }

    private boolean isSame(Row leftRow, Row rightRow) {
        leftBytes.clear();
        rightBytes.clear();
        encoder.row(key, leftRow, leftBytes);
        encoder.row(key, rightRow, rightBytes);
        return Arrays.equals(
                leftBytes.array(), 0, leftBytes.lengthBytes(), rightBytes.array(), 0, rightBytes.lengthBytes());
    }

    private void change(boolean hasLeft, boolean hasRight) throws IOException {
        here.set((hasLeft ? left : right).cursor.rangeTombstoneChange());
        boolean differed = !left.open.equals(right.open);
        if (differed) {
            deletionsDiffering++;
            listener.range(key, since, here, left.open, right.open);
        }
        if (hasLeft) {
            left.open = opened(left);
        }
        if (hasRight) {
            right.open = opened(right);
        }
        boolean differs = !left.open.equals(right.open);
        if (differs) {
            since.set((hasLeft ? left : right).cursor.rangeTombstoneChange());
        } else if (!differed && hasLeft && hasRight && prefix(left).compareBytes(prefix(right)) != 0) {
            deletionsDiffering++;
            listener.bytes(key, prefix(left), prefix(right));
        }
    }

    private static DeletionTime opened(Side side) {
        RangeTombstoneChange change = side.cursor.rangeTombstoneChange();
        return new DeletionTime(change.timestampMicros(), change.localDeletionTimeSeconds());
    }
}
