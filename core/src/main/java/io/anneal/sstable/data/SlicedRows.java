package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slices;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.RowReader;
import java.io.IOException;

/**
 * Rows and changes of one partition that lie in slices. What the block index says is proven as far as the data at the
 * block's begin can prove it, and a wrong choice of block costs time only: reading begins where the data is not yet in
 * the slice and ends where it is behind it. Owned by one thread.
 */
abstract class SlicedRows {
    /** A partition whose rows are to be read. */
    record Partition(
            long position, long rowsPosition, RowLookup lookup, long minTimestampMicros, long maxTimestampMicros) {}

    final Partition partition;
    final Slices slices;
    final DataWindow window;
    final RowReader reader;
    final ClusteringComparator comparator;
    final RowLookup lookup;

    private final RangeTombstoneChange edge = new RangeTombstoneChange();
    private RangeTombstoneChange change = edge;

    /** @param partition its look-up is null when it has no block index */
    SlicedRows(
            Partition partition, Slices slices, DataWindow window, RowReader reader, ClusteringComparator comparator) {
        this.partition = partition;
        this.slices = slices;
        this.window = window;
        this.reader = reader;
        this.comparator = comparator;
        lookup = partition.lookup();
    }

    /** The next row or change, or the partition's end. */
    abstract FragmentKind next() throws IOException;

    /** The current change. */
    RangeTombstoneChange change() {
        return change;
    }

    /** The change that was decoded last becomes the current one. */
    final FragmentKind decodedChange() {
        change = reader.change();
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    /** A change at an end of a slice becomes the current one. */
    final FragmentKind edgeChange(Clustering prefix, int weight, long micros, long seconds) {
        edge.prefix().wrap(prefix);
        edge.weight(weight);
        edge.deletion(micros, seconds);
        change = edge;
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    final FragmentKind edgeLive(Clustering prefix, int weight) {
        return edgeChange(prefix, weight, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
    }

    /** Order of the place that was read last and another. */
    final int comparePlace(Clustering prefix, int weight) {
        return comparator.compare(reader.prefix(), reader.weight(), prefix, weight);
    }

    /**
     * The end of a slice as a search in the index takes it: a whole clustering that is in the slice has one row, and its
     * block is the one that holds it, not the one in front.
     *
     * @param inclusive the weight with which that end is in the slice
     */
    final int searchWeight(Clustering prefix, int weight, int inclusive) {
        return prefix.size() == comparator.size() && weight == inclusive ? ClusteringComparator.AT : weight;
    }

    final long blockPosition() {
        return partition.position() + lookup.blockPosition();
    }

    /**
     * Moves to the block at which the index stands, to its first fragment, whose place is read then.
     *
     * @throws io.anneal.sstable.CorruptSSTableException when the data there is not as the index promises
     */
    final void enterBlock() throws IOException {
        long position = blockPosition();
        if (position < partition.rowsPosition() || position >= window.source().dataLengthBytes()) {
            throw lookup.corrupt("block lies outside its partition, blockPosition=" + position);
        }
        long openMicros = lookup.openMicros();
        boolean live = DeletionTime.isLive(openMicros, lookup.openSeconds());
        if (!live && (openMicros < partition.minTimestampMicros() || openMicros > partition.maxTimestampMicros())) {
            throw lookup.corrupt("range deletion open at the block's begin is older or newer than all data, "
                    + "timestampMicros=" + openMicros);
        }
        try {
            // Decoded as a whole, since a wrong position may well look like the head of a row.
            beginAt(position, openMicros, lookup.openSeconds());
            reader.decode();
            beginAt(position, openMicros, lookup.openSeconds());
            if (!reader.readPlace()) {
                throw lookup.corrupt("block begins at the partition's end, blockPosition=" + position);
            }
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw lookup.corrupt(
                    "block does not begin with a row, blockPosition=" + position + ", reason=" + e.getMessage());
        }
        lookup.requireFirst(reader.prefix(), reader.weight());
    }

    /**
     * Proves the range deletion that is said to be open at the begin of the block at which the index stands, and begins there:
     * the block before says that it was open already, or the data of that block has its begin.
     */
    final void proveOpen() throws IOException {
        long position = blockPosition();
        long openMicros = lookup.openMicros();
        long openSeconds = lookup.openSeconds();
        if (!DeletionTime.isLive(openMicros, openSeconds)) {
            if (!lookup.previous()) {
                throw lookup.corrupt("range deletion is open where the rows begin");
            }
            if (lookup.openMicros() != openMicros || lookup.openSeconds() != openSeconds) {
                beginAt(blockPosition(), lookup.openMicros(), lookup.openSeconds());
                passTo(position);
                requireOpen(openMicros, openSeconds);
            }
            lookup.next();
        }
        beginAt(position, openMicros, openSeconds);
    }

    private void passTo(long end) throws IOException {
        try {
            do {
                reader.begin();
                window.mark();
            } while (reader.readPlace() && passOne() && window.position() < end);
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw lookup.corrupt("block does not hold rows, reason=" + e.getMessage());
        }
        if (window.position() != end) {
            throw lookup.corrupt("block does not end between two rows, end=" + end);
        }
    }

    private boolean passOne() throws IOException {
        if (reader.isRow()) {
            reader.passBody();
        } else {
            reader.decodeAgain();
        }
        return true;
    }

    /** @throws io.anneal.sstable.CorruptSSTableException when another range deletion is open than the index says */
    final void requireOpen(long openMicros, long openSeconds) throws IOException {
        if (reader.markers().openMicros() != openMicros || reader.markers().openSeconds() != openSeconds) {
            throw lookup.corrupt("range deletion open at the block's end is another in the data, openMicros="
                    + reader.markers().openMicros());
        }
    }

    final void beginAt(long position, long openMicros, long openSeconds) throws IOException {
        reader.seek(position);
        reader.markers().open(openMicros, openSeconds);
    }
}
