package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.RowReader;
import java.io.IOException;

/** Slices in clustering order. Rows before a slice are passed over by their sizes, blocks before it by the index. */
final class ForwardRows extends SlicedRows {
    private int nextSlice;
    private Slice slice;
    private boolean inSlice;
    /** Whether the slice ends with the partition: what comes need not be looked at before it is decoded. */
    private boolean isToEnd;

    private boolean sliceIsOver;
    /** Whether the place of the next fragment is read. */
    private boolean placed;

    private boolean partitionIsOver;
    private boolean isOpen;

    ForwardRows(
            Partition partition, Slices slices, DataWindow window, RowReader reader, ClusteringComparator comparator) {
        super(partition, slices, window, reader, comparator);
    }

    @Override
    FragmentKind next() throws IOException {
        reader.recycle();
        while (true) {
            if (slice == null && !beginSlice()) {
                return FragmentKind.PARTITION_END;
            }
            if (inSlice && isToEnd && !placed && !partitionIsOver) {
                FragmentKind kind = decodeUnplaced();
                if (kind != null) {
                    return kind;
                }
                continue;
            }
            if (!placed && !sliceIsOver && !partitionIsOver) {
                readPlace();
            }
            if (!inSlice) {
                if (!partitionIsOver && comparePlace(slice.from(), slice.fromWeight()) <= 0) {
                    pass();
                    continue;
                }
                inSlice = true;
                if (reader.markers().isOpen()) {
                    isOpen = true;
                    return edgeChange(
                            slice.from(),
                            slice.fromWeight(),
                            reader.markers().openMicros(),
                            reader.markers().openSeconds());
                }
            }
            if (sliceIsOver || partitionIsOver || comparePlace(slice.to(), slice.toWeight()) >= 0) {
                if (endSlice()) {
                    return FragmentKind.RANGE_TOMBSTONE_CHANGE;
                }
                continue;
            }
            FragmentKind kind = decode();
            if (kind != null) {
                return kind;
            }
        }
    }

    private boolean beginSlice() throws IOException {
        if (nextSlice == slices.size() || partitionIsOver) {
            return false;
        }
        slice = slices.get(nextSlice++);
        isToEnd = comparator.size() > 0 && slice.to().size() == 0 && slice.toWeight() == ClusteringComparator.AFTER;
        inSlice = false;
        sliceIsOver = false;
        if (lookup != null && slice.from().size() > 0) {
            seekBlock(slice.from(), searchWeight(slice.from(), slice.fromWeight(), ClusteringComparator.BEFORE));
        }
        return true;
    }

    /** Moves forward to the block with which the slice begins, unless reading is there already. */
    private void seekBlock(Clustering from, int weight) throws IOException {
        if (placed && comparePlace(from, weight) >= 0) {
            return;
        }
        long position = placed ? reader.position() : window.position();
        if (!lookup.seekFloor(from, weight) || blockPosition() <= position) {
            return;
        }
        long openMicros = reader.markers().openMicros();
        long openSeconds = reader.markers().openSeconds();
        placed = false;
        do {
            enterBlock();
            if (comparePlace(from, weight) <= 0) {
                proveOpen();
                return;
            }
            // The index knows no better than where the block can begin; what is before it may belong to the slice.
        } while (lookup.previous() && blockPosition() > position);
        beginAt(position, openMicros, openSeconds);
    }

    private void readPlace() throws IOException {
        reader.begin();
        window.mark();
        partitionIsOver = !reader.readPlace();
        placed = !partitionIsOver;
        if (partitionIsOver && reader.markers().isOpen()) {
            throw new MalformedRowException("partition ends inside a range deletion");
        }
    }

    private void pass() throws IOException {
        placed = false;
        if (reader.isRow()) {
            reader.passBody();
        } else {
            reader.decodeAgain();
        }
    }

    /** Whether a range deletion has to be closed where the slice ends. */
    private boolean endSlice() {
        Slice ended = slice;
        slice = null;
        if (!isOpen) {
            return false;
        }
        isOpen = false;
        edgeLive(ended.to(), ended.toWeight());
        return true;
    }

    /** Decodes what comes next without reading its place before; null where nothing is in it, or the partition ends. */
    private FragmentKind decodeUnplaced() throws IOException {
        reader.begin();
        window.mark();
        FragmentKind kind = reader.decode();
        partitionIsOver = kind == FragmentKind.PARTITION_END;
        return partitionIsOver ? null : note(kind);
    }

    /** Tells whether a range deletion is open behind what was decoded. */
    private FragmentKind note(FragmentKind kind) {
        if (kind == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
            decodedChange();
            isOpen = !change().isLive();
        }
        return kind;
    }

    private FragmentKind decode() throws IOException {
        placed = false;
        FragmentKind kind = note(reader.decodeAgain());
        if (kind == FragmentKind.CLUSTERING_ROW) {
            // Behind the row with which the slice ends there is nothing to look for, perhaps in the next chunk.
            sliceIsOver = slice.to().size() == comparator.size()
                    && slice.toWeight() == ClusteringComparator.AFTER
                    && comparator.compare(reader.row().clustering(), slice.to()) == 0;
        }
        return kind;
    }
}
