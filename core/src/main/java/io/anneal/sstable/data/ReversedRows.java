package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.RowReader;
import java.io.IOException;
import java.util.Arrays;

/**
 * Slices against clustering order, the last one first. A stretch of data, a block if there is an index, is walked through
 * in order, and the position of each fragment kept with the range deletion that is open before it; then the fragments
 * are decoded from the last to the first. The window holds the stretch meanwhile.
 *
 * <p>A stretch that is too long to be held is cut: of its first parts only the begins are kept, and they are walked
 * through again when their turn comes, where they may be cut again. When there are too many of them, each second one is
 * forgotten. So memory is bounded whatever the size of a partition without index.
 *
 * <pre>
 *   | cut         | cut         | held: f f f f f f |  slice's end
 *     begin         begin         positions
 * </pre>
 */
final class ReversedRows extends SlicedRows {
    private static final long NO_LIMIT = -1;
    private static final int CUTS_MAX = 1024;

    private final long heldMaxBytes;

    private int slicesLeft;
    private Slice slice;
    private boolean isOpen;
    /** Whether the begin of the slice lies behind the begin of the current block. */
    private boolean reachedFrom;

    /** Where the current block begins, or the rows without an index; and what is said to be open there. */
    private long blockBegin;

    private long blockOpenMicros;
    private long blockOpenSeconds;

    /** Begins of the parts that are not held, and what is open there. */
    private final Places cuts = new Places();
    /** Fragments of the stretch that is held, and what is open before each. */
    private final Places fragments = new Places();

    private long heldBegin;
    private long heldOpenMicros;
    private long heldOpenSeconds;

    ReversedRows(
            Partition partition,
            Slices slices,
            DataWindow window,
            RowReader reader,
            ClusteringComparator comparator,
            long heldMaxBytes) {
        super(partition, slices, window, reader, comparator);
        this.heldMaxBytes = heldMaxBytes;
        slicesLeft = slices.size();
    }

    @Override
    FragmentKind next() throws IOException {
        reader.recycle();
        while (true) {
            if (slice == null) {
                if (slicesLeft == 0) {
                    return FragmentKind.PARTITION_END;
                }
                slice = slices.get(--slicesLeft);
                walkToEnd();
                isOpen = reader.markers().isOpen();
                if (isOpen) {
                    return edgeChange(
                            slice.to(),
                            slice.toWeight(),
                            reader.markers().openMicros(),
                            reader.markers().openSeconds());
                }
            }
            if (fragments.count == 0) {
                if (walkPrevious()) {
                    continue;
                }
                if (endSlice()) {
                    return FragmentKind.RANGE_TOMBSTONE_CHANGE;
                }
                continue;
            }
            FragmentKind kind = decodeLast();
            if (kind != null) {
                return kind;
            }
        }
    }

    private FragmentKind decodeLast() throws IOException {
        int last = --fragments.count;
        beginAt(fragments.positions[last], fragments.openMicros[last], fragments.openSeconds[last]);
        FragmentKind kind = reader.decode();
        if (kind == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
            decodedChange();
            change().deletion(fragments.openMicros[last], fragments.openSeconds[last]);
            isOpen = !change().isLive();
        }
        return kind;
    }

    /** Whether a range deletion has to be closed where the slice begins. */
    private boolean endSlice() {
        Slice ended = slice;
        slice = null;
        if (!isOpen) {
            return false;
        }
        isOpen = false;
        edgeLive(ended.from(), ended.fromWeight());
        return true;
    }

    /** Walks through the stretch in which the slice ends, up to the first fragment behind the slice. */
    private void walkToEnd() throws IOException {
        cuts.count = 0;
        reachedFrom = false;
        beginRows();
        if (lookup != null) {
            boolean found = lookup.seekFloor(
                    slice.to(), searchWeight(slice.to(), slice.toWeight(), ClusteringComparator.AFTER));
            // The index knows no better than where the block can begin; the slice may end in an earlier one.
            while (found && beginsBehindSlice()) {
                found = lookup.previous();
            }
        }
        walk(blockBegin, blockOpenMicros, blockOpenSeconds, NO_LIMIT);
    }

    /** Enters the block at which the index stands, unless nothing of the slice is in it. */
    private boolean beginsBehindSlice() throws IOException {
        enterBlock();
        if (comparePlace(slice.to(), slice.toWeight()) >= 0) {
            return true;
        }
        takeBlock();
        proveOpen();
        return false;
    }

    private void takeBlock() {
        blockBegin = blockPosition();
        blockOpenMicros = lookup.openMicros();
        blockOpenSeconds = lookup.openSeconds();
    }

    private void beginRows() {
        blockBegin = partition.rowsPosition();
        blockOpenMicros = DeletionTime.NO_TIMESTAMP;
        blockOpenSeconds = DeletionTime.NO_DELETION_TIME;
    }

    /** Walks through what lies before the stretch that was held; false when that was the slice's first. */
    private boolean walkPrevious() throws IOException {
        if (cuts.count > 0) {
            int last = --cuts.count;
            walk(cuts.positions[last], cuts.openMicros[last], cuts.openSeconds[last], heldBegin);
            return true;
        }
        if (reachedFrom || blockBegin == partition.rowsPosition()) {
            return false;
        }
        long end = blockBegin;
        long openMicros = blockOpenMicros;
        long openSeconds = blockOpenSeconds;
        if (lookup.previous()) {
            enterBlock();
            takeBlock();
        } else {
            beginRows();
        }
        if (blockBegin >= end) {
            throw lookup.corrupt("blocks do not ascend, blockPosition=" + blockBegin);
        }
        walk(blockBegin, blockOpenMicros, blockOpenSeconds, end);
        requireOpen(openMicros, openSeconds);
        return true;
    }

    /** @param limit where the stretch ends, or {@link #NO_LIMIT} for where the slice does */
    private void walk(long begin, long openMicros, long openSeconds, long limit) throws IOException {
        beginAt(begin, openMicros, openSeconds);
        hold();
        while (window.position() != limit) {
            reader.begin();
            boolean inPartition = reader.readPlace();
            if (limit != NO_LIMIT && (!inPartition || reader.position() > limit)) {
                throw lookup.corrupt("block does not end between two rows, end=" + limit);
            }
            if (!inPartition && reader.markers().isOpen()) {
                throw new MalformedRowException("partition ends inside a range deletion");
            }
            if (!inPartition || limit == NO_LIMIT && comparePlace(slice.to(), slice.toWeight()) >= 0) {
                return;
            }
            if (comparePlace(slice.from(), slice.fromWeight()) <= 0) {
                reachedFrom = true;
                cuts.count = 0;
                pass();
                reader.begin();
                hold();
                continue;
            }
            if (reader.position() - heldBegin >= heldMaxBytes) {
                cut();
                reader.readPlace();
            }
            fragments.add(
                    reader.position(),
                    reader.markers().openMicros(),
                    reader.markers().openSeconds());
            pass();
        }
    }

    /** What is held begins with the current fragment. */
    private void hold() {
        window.moveTo(reader.position());
        window.mark();
        fragments.count = 0;
        heldBegin = reader.position();
        heldOpenMicros = reader.markers().openMicros();
        heldOpenSeconds = reader.markers().openSeconds();
    }

    private void cut() {
        if (cuts.count == CUTS_MAX) {
            cuts.halve();
        }
        cuts.add(heldBegin, heldOpenMicros, heldOpenSeconds);
        hold();
    }

    private void pass() throws IOException {
        if (reader.isRow()) {
            reader.passBodyHeld(heldMaxBytes);
        } else {
            reader.decodeAgain();
        }
    }

    /** Positions in the data, each with the range deletion that is open there. */
    private static final class Places {
        private long[] positions = new long[64];
        private long[] openMicros = new long[64];
        private long[] openSeconds = new long[64];
        private int count;

        void add(long position, long micros, long seconds) {
            if (count == positions.length) {
                positions = Arrays.copyOf(positions, 2 * count);
                openMicros = Arrays.copyOf(openMicros, 2 * count);
                openSeconds = Arrays.copyOf(openSeconds, 2 * count);
            }
            positions[count] = position;
            openMicros[count] = micros;
            openSeconds[count] = seconds;
            count++;
        }

        /** Forgets each second place. */
        void halve() {
            int kept = (count + 1) / 2;
            for (int i = 1; i < kept; i++) {
                positions[i] = positions[2 * i];
                openMicros[i] = openMicros[2 * i];
                openSeconds[i] = openSeconds[2 * i];
            }
            count = kept;
        }
    }
}
