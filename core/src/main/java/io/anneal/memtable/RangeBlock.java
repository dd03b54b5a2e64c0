package io.anneal.memtable;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeDeletion;
import io.anneal.io.ByteReader;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;

/**
 * Disjoint intervals in order, as they lie in a slab, and a place in them: a flyweight that goes through the bounds in the
 * direction of reading, cut to a slice.
 *
 * <pre>
 *   length of all 4 | count 4 | offset of each item from here 4 ... | items, each a range deletion
 * </pre>
 */
final class RangeBlock {
    static final int OFFSETS = 2 * Integer.BYTES;

    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final ByteReader reader = new ByteReader();
    private final RangeDeletion range = new RangeDeletion();

    private byte[] slab;
    private int offset;
    private int length;
    private int count;
    private Slice slice;
    private boolean reversed;
    private int index;
    private boolean open;
    private boolean exhausted;

    /** @param item a flyweight for this block alone */
    RangeBlock(ClusteringComparator comparator, EncodedItem item) {
        this.comparator = comparator;
        this.item = item;
    }

    void wrap(byte[] blockSlab, int blockOffset) {
        slab = blockSlab;
        offset = blockOffset;
        reader.wrap(blockSlab, blockOffset, OFFSETS);
        length = reader.readInt();
        count = reader.readInt();
    }

    int lengthBytes() {
        return length;
    }

    /** Number of intervals. */
    int count() {
        return count;
    }

    /** Stands before the first interval that overlaps the slice, in the direction of reading. */
    void seek(Slice of, boolean reversedReading) throws CorruptItemException {
        slice = of;
        reversed = reversedReading;
        open = false;
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            read(middle);
            boolean passed = reversed
                    ? compareStart(slice.to(), slice.toWeight()) < 0
                    : compareEnd(slice.from(), slice.fromWeight()) <= 0;
            if (passed) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        index = reversed ? low - 1 : low;
        load();
    }

    private void read(int interval) throws CorruptItemException {
        reader.wrap(slab, offset + OFFSETS + interval * Integer.BYTES, Integer.BYTES);
        item.wrap(slab, offset + reader.readInt(), slab.length).readRangeDeletion(range);
    }

    private int compareStart(Clustering prefix, int weight) {
        return comparator.compare(range.start(), range.startWeight(), prefix, weight);
    }

    private int compareEnd(Clustering prefix, int weight) {
        return comparator.compare(range.end(), range.endWeight(), prefix, weight);
    }

    /** Reads the current interval and cuts it; behind the slice there is none. */
    private void load() throws CorruptItemException {
        exhausted = index < 0 || index >= count;
        if (exhausted) {
            return;
        }
        read(index);
        if (slice == Slice.ALL) {
            return;
        }
        exhausted = reversed
                ? compareEnd(slice.from(), slice.fromWeight()) <= 0
                : compareStart(slice.to(), slice.toWeight()) >= 0;
        if (compareStart(slice.from(), slice.fromWeight()) < 0) {
            range.start().wrap(slice.from());
            range.weights(slice.fromWeight(), range.endWeight());
        }
        if (compareEnd(slice.to(), slice.toWeight()) > 0) {
            range.end().wrap(slice.to());
            range.weights(range.startWeight(), slice.toWeight());
        }
    }

    /** Whether there is no further bound. */
    boolean isExhausted() {
        return exhausted;
    }

    /** Whether an interval is open in front of the next bound. */
    boolean isOpen() {
        return open;
    }

    long timestampMicros() {
        return range.timestampMicros();
    }

    long localDeletionTimeSeconds() {
        return range.localDeletionTimeSeconds();
    }

    /** Place of the next bound: valid until {@link #pass}. */
    Clustering prefix() {
        return open == reversed ? range.start() : range.end();
    }

    int weight() {
        return open == reversed ? range.startWeight() : range.endWeight();
    }

    /** Passes the next bound. */
    void pass() throws CorruptItemException {
        open = !open;
        if (!open) {
            index += reversed ? -1 : 1;
            load();
        }
    }
}
