package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.LargeRows;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.key.LinearRanges;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.node.Replica;
import io.anneal.repair.kept.SumRecorder;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.DeletionReader;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import io.anneal.repair.row.SpillFile;
import io.anneal.store.SSTables;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Fills the row buffer from the replica's cursor: every row is read, encoded and hashed once, here. Stops when the buffer
 * is full, but never right behind a partition's start, so that a partition deletion and the static row are always in
 * one window. Owned by the session's thread.
 */
final class WindowReader implements Closeable {
    /** What a row and each cell of it have beside keys, names and values, at most about. */
    private static final int ROW_BYTES = 64;

    private static final int ENTRY_BYTES = 24;

    private final Replica table;
    private final ItemCodec codec;
    private final long aheadRowsMax;
    private final long aheadBytesMax;
    private final long localDeletionTimeMaxSeconds;
    private final RowBuffer rows;
    private final ClusteringComparator comparator;
    private final LargeRowTurns largeRows;

    private final DeletionReader deletions;
    private Optional<SSTables> beside = Optional.empty();
    private Optional<SumRecorder> recorder = Optional.empty();
    private boolean started;
    private Iterator<TokenRange.Linear> unread = Collections.emptyIterator();
    /** Of the range that is being read; empty before the first, after the last, and between two of them. */
    private Optional<FragmentCursor> cursor = Optional.empty();
    /** The last token of that range. */
    private long lastOfRange;

    private FragmentKind last;
    /** How many rows of the buffer there are up to the last one of which purging, or the cut-off, hides something. */
    private int rowsToHidden;

    private Optional<RingPosition> lastBoundary = Optional.empty();
    private long rowsRead;
    private long bytesRead;

    /**
     * @param aheadRowsMax rows behind the window after which it stops reading, as when the buffer is full
     * @param aheadBytesMax the same in bytes
     */
    WindowReader(
            Replica table,
            ItemCodec codec,
            int bufferBytes,
            long aheadRowsMax,
            long aheadBytesMax,
            long localDeletionTimeMaxSeconds) {
        this.table = table;
        this.codec = codec;
        this.aheadRowsMax = aheadRowsMax;
        this.aheadBytesMax = Math.min(bufferBytes, aheadBytesMax);
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
        rows = new RowBuffer(table.schema(), bufferBytes);
        largeRows = new LargeRowTurns(table.name(), table.schema().qualifiedName(), rows.inMemoryMaxBytes());
        comparator = ClusteringComparator.of(table.schema());
        deletions = new DeletionReader(comparator);
    }

    RowBuffer rows() {
        return rows;
    }

    /** For the session's own steps, too. */
    LargeRowTurns largeRows() {
        return largeRows;
    }

    long rowsRead() {
        return rowsRead;
    }

    long bytesRead() {
        return bytesRead;
    }

    /**
     * @param others what counts as the replica's beside what it holds; closed with this
     * @param sums hears of all that is read
     */
    void start(LinearRanges ranges, SSTables others, Optional<SumRecorder> sums) {
        beside = Optional.of(others);
        recorder = sums;
        if (started) {
            throw new IllegalStateException("reading was started before, replica=" + table.name());
        }
        started = true;
        unread = ranges.ranges().iterator();
    }

    /** Whether all ranges were read. */
    private boolean isAtEnd() {
        return cursor.isEmpty() && !unread.hasNext();
    }

    /** Reads until the buffer is full, or as many are ahead as may be, and beyond the last boundary in any case: every window ends behind the one before. */
    void readAhead() throws IOException {
        try {
            while (!isAtEnd() && (mayReadOn() || !isBehind(lastBoundary))) {
                readOne();
            }
        } finally {
            largeRows.leave();
        }
    }

    private boolean mayReadOn() {
        return rows.count() - rows.windowEnd() < aheadRowsMax && rows.aheadBytes() + deletions.bytes() < aheadBytesMax;
    }

    private boolean isBehind(Optional<RingPosition> place) {
        return place.isEmpty() || last != null && lastPlace().compareTo(place.get(), comparator) > 0;
    }

    /** Reads what comes next, from whichever range that is; nothing is left behind between two of them. */
    private void readOne() throws IOException {
        boolean found = false;
        while (!found && !isAtEnd()) {
            if (cursor.isEmpty()) {
                TokenRange.Linear range = unread.next();
                cursor = Optional.of(scan(range));
                lastOfRange = range.last();
                cursor.get().askBefore(largeRows);
            }
            found = readOne(cursor.get());
        }
    }

    private FragmentCursor scan(TokenRange.Linear range) throws IOException {
        FragmentCursor held = table.scan(range, localDeletionTimeMaxSeconds);
        if (beside.isEmpty() || beside.get().readers().isEmpty()) {
            return held;
        }
        FragmentCursor both = null;
        try {
            both = MergeCursor.of(
                    table.schema(),
                    List.of(held, beside.get().scan(range, localDeletionTimeMaxSeconds)),
                    localDeletionTimeMaxSeconds);
            return both;
        } finally {
            if (both == null) {
                held.close();
            }
        }
    }

    /** False at the end of the cursor, which is closed then. */
    private boolean readOne(FragmentCursor from) throws IOException {
        FragmentKind kind = from.advance();
        if (kind == FragmentKind.PARTITION_START) {
            long timestampMicros = from.partitionDeletionTimestampMicros();
            long localSeconds = from.partitionDeletionLocalTimeSeconds();
            if (recorder.isPresent()) {
                recorder.get().partition(from.key(), timestampMicros, localSeconds);
            }
            if (!DeletionTime.isLive(timestampMicros, localSeconds)) {
                deletions.add(from.key().toDecoratedKey(), new DeletionTime(timestampMicros, localSeconds));
            }
            kind = from.advance();
        }
        if (kind == null) {
            closeCursor();
            if (recorder.isPresent()) {
                recorder.get().readUpTo(lastOfRange);
            }
            return false;
        }
        last = kind;
        switch (kind) {
            case STATIC_ROW, CLUSTERING_ROW -> addRow(from);
            case RANGE_TOMBSTONE_CHANGE -> addChange(from);
            case PARTITION_END -> {}
            case PARTITION_START -> throw new IllegalStateException("partition starts inside a partition");
        }
        return true;
    }

    private void addChange(FragmentCursor from) {
        deletions.add(from.key().toDecoratedKey(), from.rangeTombstoneChange());
        if (recorder.isPresent()) {
            recorder.get().change(from.key(), from.rangeTombstoneChange());
        }
    }

    private void addRow(FragmentCursor from) throws IOException {
        Row row = from.row();
        long contentBytes = row.contentBytes();
        if (rows.isTooLarge(contentBytes)) {
            spillRow(from.key(), row);
            record();
            from.releaseRow();
            largeRows.leave();
        } else {
            ByteWriter bytes = rows.bytes(expectedBytes(from.key(), row, contentBytes));
            int offset = bytes.lengthBytes();
            int length = codec.row(from.key(), row, bytes);
            rows.add(offset, length, codec.isHashed(), codec.high(), codec.low());
            record();
        }
        rowsToHidden = codec.hidesSomething() ? rows.count() : rowsToHidden;
        if (codec.isRecent()) {
            rows.markRecent();
        }
        rowsRead++;
        bytesRead += rows.lengthBytes(rows.count() - 1);
    }

    private void record() {
        if (recorder.isPresent()) {
            recorder.get().row(rows.lengthBytes(rows.count() - 1));
        }
    }

    /** About what the row takes, rather more. */
    private static long expectedBytes(KeyView key, Row row, long contentBytes) {
        return placeBytes(key, row) + contentBytes + (long) ENTRY_BYTES * row.entryCount();
    }

    private static long placeBytes(KeyView key, Row row) {
        long bytes = ROW_BYTES + key.lengthBytes();
        for (int i = 0; i < row.clustering().size(); i++) {
            bytes += ENTRY_BYTES + Math.max(0, row.clustering().lengthBytes(i));
        }
        return bytes;
    }

    /** Of few there is no need to count: the columns of a wide table are no collection. */
    private static long manyCells(Row row) {
        return row.entryCount() > LargeRows.UNASKED_CELLS_MAX ? row.entryCount() : 0;
    }

    private void spillRow(KeyView key, Row row) throws IOException {
        ByteWriter bytes = rows.bytes(placeBytes(key, row));
        int offset = bytes.lengthBytes();
        SpillFile.Spilled content = codec.spill(key, row, rows.spill());
        largeRows.requireSendable(key, content.lengthBytes(), manyCells(row));
        int length = codec.place(key, row, bytes);
        rows.addSpilled(offset, length, content, codec.isHashed(), codec.high(), codec.low());
    }

    SyncVote vote() {
        long items = rows.count() - rows.windowEnd() + deletions.count();
        return new SyncVote(lastPlace(), items);
    }

    /** The last place that was read, or the end. */
    RingPosition lastPlace() {
        if (isAtEnd()) {
            return RingPosition.END;
        }
        if (last == null) {
            throw new IllegalStateException("nothing was read yet, replica=" + table.name());
        }
        return switch (last) {
            case STATIC_ROW, CLUSTERING_ROW -> behind(rows.position(rows.count() - 1));
            case RANGE_TOMBSTONE_CHANGE -> deletions.lastChange();
            case PARTITION_END -> RingPosition.of(cursor.get().key().toDecoratedKey(), PositionInPartition.END);
            case PARTITION_START -> throw new IllegalStateException("row buffer ends behind a partition's start");
        };
    }

    private static RingPosition behind(RingPosition row) {
        if (row.position().region() == PositionInPartition.Region.STATIC) {
            return row;
        }
        Clustering clustering = row.position().prefix();
        return RingPosition.of(row.key().orElseThrow(), PositionInPartition.after(clustering));
    }

    /** Forgets the window. */
    void dropWindow() throws IOException {
        rowsToHidden = Math.max(0, rowsToHidden - rows.windowEnd());
        rows.dropWindow();
    }

    /** Whether purging, or the cut-off, hides something of the rows in the buffer: of those of the window, or of what was read behind it. */
    boolean hasHiddenRows() {
        return rowsToHidden > 0;
    }

    /** Makes everything up to the boundary the window; these are its deletions. */
    List<DeletionItem> window(RingPosition boundary) {
        rows.window(boundary);
        lastBoundary = Optional.of(boundary);
        return deletions.window(boundary);
    }

    /** Ends reading, wherever it is. */
    void end() throws IOException {
        unread = Collections.emptyIterator();
        closeCursor();
    }

    private void closeCursor() throws IOException {
        if (cursor.isPresent()) {
            FragmentCursor open = cursor.get();
            cursor = Optional.empty();
            open.close();
        }
    }

    /** Ends the session's reading; the rows are gone. */
    @Override
    public void close() throws IOException {
        try (rows) {
            end();
        } finally {
            if (beside.isPresent()) {
                beside.get().close();
            }
        }
    }
}
