package io.anneal.memtable;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;
import io.anneal.key.Slices;

/**
 * Rows and changes of one partition that lie in slices, as of a snapshot, in order or against it: a merge of the row list and
 * the steps of the range deletions. Owned by one thread.
 */
final class PartitionRows {
    private final Slabs slabs;
    private final RowList list;
    private final RowVersions versions;
    private final RangeSteps steps;
    private final ClusteringComparator comparator;
    private final int snapshot;
    private final Slices slices;
    private final boolean reversed;
    private final RangeTombstoneChange change = new RangeTombstoneChange();

    private int partition;
    private boolean hasRanges;
    private int slicesBegun;
    private Slice slice;
    private boolean isOneRow;
    private Row row;
    private int rowNode;
    private boolean hasChange;
    /** What was handed out last and has to be moved on. */
    private FragmentKind current;

    PartitionRows(
            Slabs slabs,
            RowList list,
            RowVersions versions,
            RangeSteps steps,
            ClusteringComparator comparator,
            int snapshot,
            Slices slices,
            boolean reversed) {
        this.slabs = slabs;
        this.list = list;
        this.versions = versions;
        this.steps = steps;
        this.comparator = comparator;
        this.snapshot = snapshot;
        this.slices = slices;
        this.reversed = reversed;
    }

    /** Stands before the static row of a partition. */
    void start(int address) {
        partition = address;
        slicesBegun = 0;
        slice = null;
        row = null;
        hasChange = false;
        current = null;
        steps.clear();
        int block = visible(partition + Nodes.RANGE_DELETIONS);
        hasRanges = block != 0;
        while (block != 0) {
            steps.add(slabs.slab(slabs.get(block + Nodes.VERSION_SLAB)), slabs.get(block + Nodes.VERSION_OFFSET));
            block = slabs.get(block + Nodes.BASE);
        }
    }

    /** The newest version at a place that belongs to the snapshot, or 0. */
    int visible(int head) {
        int version = slabs.getAcquire(head);
        while (version != 0 && slabs.get(version + Nodes.SEQUENCE) > snapshot) {
            version = slabs.get(version + Nodes.OLDER);
        }
        return version;
    }

    /** The static row, or null. */
    Row staticRow() throws CorruptItemException {
        return decode(partition + Nodes.STATIC_ROW);
    }

    private Row decode(int head) throws CorruptItemException {
        int version = visible(head);
        if (version == 0) {
            return null;
        }
        versions.clear();
        do {
            versions.add(version);
            version = slabs.get(version + Nodes.BASE);
        } while (version != 0);
        return versions.merge();
    }

    /** The next row or change, or the partition's end. */
    FragmentKind next() throws CorruptItemException {
        moveOn();
        while (row == null && !hasChange) {
            if (slicesBegun == slices.size()) {
                return FragmentKind.PARTITION_END;
            }
            beginSlice();
        }
        current = hasChange && (row == null || isChangeFirst())
                ? FragmentKind.RANGE_TOMBSTONE_CHANGE
                : FragmentKind.CLUSTERING_ROW;
        return current;
    }

    Row row() {
        return row;
    }

    RangeTombstoneChange change() {
        return change;
    }

    private boolean isChangeFirst() {
        int order = comparator.compare(change.prefix(), change.weight(), row.clustering(), ClusteringComparator.AT);
        return reversed ? order > 0 : order < 0;
    }

    private void moveOn() throws CorruptItemException {
        if (current == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
            hasChange = steps.next(change);
        } else if (current == FragmentKind.CLUSTERING_ROW) {
            decodeFrom(isOneRow ? 0 : following(rowNode));
        }
        current = null;
    }

    private int following(int node) {
        return reversed ? list.previous(node) : list.next(node);
    }

    private void beginSlice() throws CorruptItemException {
        slice = slices.get(reversed ? slices.size() - 1 - slicesBegun : slicesBegun);
        slicesBegun++;
        // The row behind it is not even looked at.
        isOneRow = slice.from() == slice.to() && slice.from().size() == comparator.size();
        if (hasRanges) {
            steps.seek(slice, reversed);
            hasChange = steps.next(change);
        }
        decodeFrom(firstInSlice());
    }

    private int firstInSlice() throws CorruptItemException {
        if (reversed) {
            if (slice.to().size() == 0) {
                return list.last(partition);
            }
            list.ceiling(partition, slice.to(), slice.toWeight());
            return list.before();
        }
        return slice.from().size() == 0
                ? list.first(partition)
                : list.ceiling(partition, slice.from(), slice.fromWeight());
    }

    /** Decodes the first row from here on that the snapshot has, if it is in the slice. */
    private void decodeFrom(int node) throws CorruptItemException {
        rowNode = node;
        while (rowNode != 0) {
            row = decode(rowNode + Nodes.ROW_VERSIONS);
            if (row != null) {
                if (isBehindSlice(row.clustering())) {
                    row = null;
                }
                return;
            }
            rowNode = following(rowNode);
        }
        row = null;
    }

    private boolean isBehindSlice(Clustering clustering) {
        Clustering end = reversed ? slice.from() : slice.to();
        if (end.size() == 0) {
            return false;
        }
        return reversed
                ? comparator.compare(clustering, ClusteringComparator.AT, end, slice.fromWeight()) < 0
                : comparator.compare(clustering, ClusteringComparator.AT, end, slice.toWeight()) > 0;
    }
}
