package io.anneal.sstable.row;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.LargeRows;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.sstable.file.DataWindow;
import java.io.IOException;

/**
 * Reads what stands in a partition: the static row, rows and markers, each contiguous in the {@link DataWindow}. Either
 * decodes one after the other, or reads the place of one so that its caller decides whether it is decoded or passed over.
 * Wrong bytes throw {@link io.anneal.io.ByteUnderflowException} or {@link MalformedRowException}; the cursor adds where.
 * Owned by one thread.
 */
public final class RowReader {
    private static final int VINT_MAX_BYTES = 9;

    private final DataWindow window;
    private final ByteReader in;
    private final PrefixDecoder prefixes;
    private final RowDecoder rows;
    private final MarkerDecoder markers;
    private final boolean hasStaticRow;
    private final int headBytes;
    private final Clustering prefix = new Clustering();

    private Row row = new Row();
    private long position;
    private int boundKind;
    private int bodyBytes;
    private boolean keepsEqualBoundaries;
    private LargeRows large = LargeRows.ALL;
    private final RowDecoder.ManyCells cells = this::enterCells;
    private KeyView key;

    /**
     * @param headBytes what is asked for before a fragment's head is parsed: many so that few are cut by the end of a
     *     chunk, few so that no chunk is read in vain
     */
    public RowReader(DataWindow window, RowDecoder rows, SerializationHeader header, int headBytes) {
        this.window = window;
        this.rows = rows;
        this.headBytes = headBytes;
        in = window.in();
        markers = new MarkerDecoder(rows);
        prefixes = new PrefixDecoder(header.clusteringTypes());
        hasStaticRow = !header.staticColumns().isEmpty();
    }

    /** Boundaries between range deletions that are the same are decoded from now on as changes, and not passed over. */
    public void keepEqualBoundaries() {
        keepsEqualBoundaries = true;
    }

    /** @param keyView of the partition that is being read, whichever that is */
    public void askBefore(LargeRows rows, KeyView keyView) {
        large = rows;
        key = keyView;
    }

    /** Lets go of the row that was decoded last. */
    public void releaseRow() {
        row.release();
        rows.release();
        window.release();
    }

    /** The row that was decoded last. */
    public Row row() {
        return row;
    }

    /** The change that was decoded last. */
    public RangeTombstoneChange change() {
        return markers.change();
    }

    /** Which range deletion is open behind what was decoded last. */
    public MarkerDecoder markers() {
        return markers;
    }

    /** Where the current fragment begins in the data. */
    public long position() {
        return position;
    }

    /** Kind of the current fragment as the file has it: a bound's kind, or that of a row. */
    public int boundKind() {
        return boundKind;
    }

    public boolean hasStaticRow() {
        return hasStaticRow;
    }

    /** The current fragment is the one at which the window stands. */
    public void begin() {
        position = window.position();
    }

    /** Moves to a fragment. */
    public void seek(long fragmentPosition) throws IOException {
        window.seek(fragmentPosition);
        position = fragmentPosition;
    }

    /** Stands behind a partition's head; returns where the rows begin, which is behind the static row. */
    public long beginPartition() throws IOException {
        markers.beginPartition();
        position = window.position();
        if (!hasStaticRow) {
            return position;
        }
        readStaticFlags();
        long end = endOfBody();
        window.moveTo(position);
        return end;
    }

    /** Reads the flags of the static row and returns them; the extended ones above the first eight bits. */
    private int readStaticFlags() throws IOException {
        window.want(2 + VINT_MAX_BYTES);
        int flags = in.readUnsignedByte();
        int forbidden = UnfilteredFlags.END_OF_PARTITION | UnfilteredFlags.IS_MARKER;
        int extended = (flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) == 0 ? 0 : in.readUnsignedByte();
        if ((flags & forbidden) != 0 || (extended & UnfilteredFlags.EXTENDED_IS_STATIC) == 0) {
            throw new MalformedRowException("static row is missing, flags=" + flags);
        }
        return extended << 8 | flags;
    }

    /** Reads a size and returns where what it measures ends in the data. */
    private long endOfBody() throws IOException {
        window.want(VINT_MAX_BYTES);
        int lengthBytes = window.checkedLength(in.readUnsignedVInt(), "row");
        return window.position() + lengthBytes;
    }

    /** Decodes the static row at which the window stands; false when nothing is in it, which makes it no row. */
    public boolean readStaticRow() throws IOException {
        recycle();
        row.clear(true);
        boundKind = UnfilteredFlags.CLUSTERING;
        position = window.position();
        window.mark();
        int epoch;
        int flags;
        do {
            window.moveTo(position);
            epoch = window.epoch();
            flags = readStaticFlags();
            wantBody();
        } while (epoch != window.epoch());
        decodeRow(flags & 0xFF, flags >>> 8);
        return !row.isEmpty();
    }

    /** Reads the size of a body and makes the body available; {@link #bodyBytes} is the size. */
    private void wantBody() throws IOException {
        window.want(VINT_MAX_BYTES);
        bodyBytes = window.checkedLength(in.readUnsignedVInt(), "row");
        if (bodyBytes > LargeRows.UNASKED_BYTES_MAX) {
            large.enter(key, bodyBytes, 0);
        }
        window.want(bodyBytes);
    }

    private void decodeRow(int flags, int extendedFlags) throws IOException {
        window.limit(bodyBytes);
        in.readUnsignedVInt(); // size of the previous row
        rows.decode(in, flags, extendedFlags, row, cells);
        endBody();
    }

    private void enterCells(long count) throws IOException {
        large.enter(key, bodyBytes, count);
    }

    private void endBody() {
        if (in.hasRemaining()) {
            throw new MalformedRowException("row is longer than what it holds, restBytes=" + in.remainingBytes());
        }
        window.unlimit();
    }

    /** Decodes the next row or change, whichever holds something; or passes the end of the partition. */
    public FragmentKind next() throws IOException {
        recycle();
        while (true) {
            position = window.position();
            window.mark();
            FragmentKind kind = decode();
            if (kind != null) {
                return kind;
            }
        }
    }

    /** Decodes the current fragment, once the window stands at it; null when nothing is in it. Does not move the mark. */
    public FragmentKind decode() throws IOException {
        window.want(headBytes);
        int flags = in.readUnsignedByte();
        if (flags == UnfilteredFlags.END_OF_PARTITION) {
            if (markers.isOpen()) {
                throw new MalformedRowException("partition ends inside a range deletion");
            }
            return FragmentKind.PARTITION_END;
        }
        requireNoEnd(flags);
        if ((flags & UnfilteredFlags.IS_MARKER) != 0) {
            return decodeMarker() ? FragmentKind.RANGE_TOMBSTONE_CHANGE : null;
        }
        return decodeRow(flags) ? FragmentKind.CLUSTERING_ROW : null;
    }

    private static void requireNoEnd(int flags) {
        if ((flags & UnfilteredFlags.END_OF_PARTITION) != 0) {
            throw new MalformedRowException("flags of the end of a partition are mixed, flags=" + flags);
        }
    }

    /** Decodes the row behind the flags; false when nothing is in it, which makes it no row. */
    private boolean decodeRow(int flags) throws IOException {
        row.clear(false);
        boundKind = UnfilteredFlags.CLUSTERING;
        int epoch = window.epoch();
        int extendedFlags = readRowHead(flags);
        while (epoch != window.epoch()) {
            window.moveTo(position);
            in.skip(1);
            epoch = window.epoch();
            extendedFlags = readRowHead(flags);
        }
        if ((extendedFlags & UnfilteredFlags.EXTENDED_IS_STATIC) != 0) {
            throw new MalformedRowException("static row among clustering rows");
        }
        decodeRow(flags, extendedFlags);
        return !row.isEmpty();
    }

    /** Reads what stands between flags and body, and makes the body available; returns the extended flags. */
    private int readRowHead(int flags) throws IOException {
        int extendedFlags = (flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) == 0 ? 0 : in.readUnsignedByte();
        prefixes.read(window, prefixes.componentCount(), row.clustering());
        wantBody();
        return extendedFlags;
    }

    /** Decodes a marker into a change; false when the deletion stays the same, which makes it none. */
    private boolean decodeMarker() throws IOException {
        int epoch;
        do {
            window.moveTo(position);
            in.skip(1);
            epoch = window.epoch();
            boundKind = in.readUnsignedByte();
            prefixes.read(window, in.readUnsignedShort(), markers.change().prefix());
            wantBody();
        } while (epoch != window.epoch());
        window.limit(bodyBytes);
        in.readUnsignedVInt(); // size of the previous row
        boolean changes = markers.decode(in, boundKind);
        endBody();
        return changes || keepsEqualBoundaries;
    }

    /** The views that were handed out end here. */
    public void recycle() {
        Row recycled = Row.recycle(row);
        if (row != recycled) {
            row = recycled;
        }
    }

    /** Decodes the current fragment, wherever in it the window stands; null when nothing is in it. */
    public FragmentKind decodeAgain() throws IOException {
        window.moveTo(position);
        return decode();
    }

    /** Passes over the fragment at which the window stands by its size; false at the end of the partition, passed too. */
    public boolean pass() throws IOException {
        position = window.position();
        window.mark();
        if (!readPlace()) {
            return false;
        }
        window.seek(endOfBody());
        return true;
    }

    /**
     * Reads the place of the current fragment, at which the window stands and which may be decoded afterwards; false at
     * the end of the partition, which is passed. Does not move the mark.
     */
    public boolean readPlace() throws IOException {
        int epoch;
        do {
            window.moveTo(position);
            window.want(headBytes);
            epoch = window.epoch();
            int flags = in.readUnsignedByte();
            if (flags == UnfilteredFlags.END_OF_PARTITION) {
                return false;
            }
            requireNoEnd(flags);
            if ((flags & UnfilteredFlags.IS_MARKER) != 0) {
                boundKind = in.readUnsignedByte();
                prefixes.read(window, in.readUnsignedShort(), prefix);
            } else {
                boundKind = UnfilteredFlags.CLUSTERING;
                if ((flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) != 0) {
                    in.skip(1);
                }
                prefixes.read(window, prefixes.componentCount(), prefix);
            }
        } while (epoch != window.epoch());
        return true;
    }

    /** Prefix of the place that was read; valid until the window moves on. */
    public Clustering prefix() {
        return prefix;
    }

    public boolean isRow() {
        return boundKind == UnfilteredFlags.CLUSTERING;
    }

    /** Weight of the place that was read. */
    public int weight() {
        if (isRow()) {
            return ClusteringComparator.AT;
        }
        return boundKind <= UnfilteredFlags.EXCL_END_INCL_START_BOUNDARY
                ? ClusteringComparator.BEFORE
                : ClusteringComparator.AFTER;
    }

    /** Behind {@link #readPlace()}: passes over the body of a row without reading it. */
    public void passBody() throws IOException {
        window.seek(endOfBody());
    }

    /** Behind {@link #readPlace()}: passes over the body of a row and keeps it in the window, if it is no longer than so much. */
    public void passBodyHeld(long lengthMaxBytes) throws IOException {
        window.want(VINT_MAX_BYTES);
        int lengthBytes = window.checkedLength(in.readUnsignedVInt(), "row");
        if (lengthBytes > lengthMaxBytes) {
            window.seek(window.position() + lengthBytes);
        } else {
            window.want(lengthBytes);
            in.skip(lengthBytes);
        }
    }
}
