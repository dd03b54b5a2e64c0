package io.anneal.paging.querier;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.merge.SelectCursor;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.table.ReadCursor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Cursors over one shard, read into blocks. Owned by one thread at a time. */
final class BlockReader implements Closeable {
    private static final int BLOCK_MIN_BYTES = 4 << 10;
    private static final int SPARE_FRACTION = 32;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** How much a block is to have at most, but for the end of a row. */
    record Rest(int rows, long bytes, int tombstones, int filtered) {}

    /** Ascending; none where partitions are read by key. */
    private final List<TokenRange.Linear> ranges;

    private final boolean wantsDeletions;
    private final boolean reversed;
    private final CursorSource source;
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final PartitionItems items;
    private final EncodedItem item;

    private long nowSeconds;
    /** On the average of the block that was filled last. */
    private int rowBytes;
    /** Of all blocks. */
    private long longestBytes;

    private int rangeIndex;
    private ReadCursor cursor;
    /** What the cursor shows; null where deletions are wanted too. */
    private SelectCursor select;

    private FragmentCursor shown;
    private Block block;
    /** Where the block before ended. */
    private Optional<RingPosition> endedBefore = Optional.empty();
    /** Of the partition that was read from last; before that, of the first that may be read. */
    private long lastToken;

    /**
     * A reader that has opened nothing yet.
     *
     * @param firstToken before which it has no partition
     */
    BlockReader(
            ReadQuery query,
            TableSchema schema,
            List<TokenRange.Linear> ranges,
            CursorSource source,
            long firstToken,
            long nowSeconds) {
        this.schema = schema;
        this.ranges = ranges;
        this.source = source;
        this.nowSeconds = nowSeconds;
        lastToken = firstToken;
        wantsDeletions = query.withDeletions();
        reversed = query.reversed();
        items = new PartitionItems(query, schema);
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema).trusting();
        block = block();
        block.end(firstToken, null, false, Long.MAX_VALUE);
    }

    /** An empty block for its items. */
    Block block() {
        return new Block(wantsDeletions ? new DeletionCut(schema, reversed) : null);
    }

    /** The block that was filled last. */
    Block last() {
        return block;
    }

    TableSchema schema() {
        return schema;
    }

    /** Whether it can go on at a time: its table is what it was, and time has not gone back. */
    boolean isCurrentAt(long seconds) {
        return seconds >= nowSeconds && (cursor == null || cursor.isCurrent());
    }

    void nowSeconds(long seconds) {
        nowSeconds = seconds;
        if (select != null) {
            select.nowSeconds(seconds);
        }
    }

    /** Heap that its cursor occupies, roughly. */
    long heldBytes() {
        return shown == null ? 0 : shown.heldBytes();
    }

    /** Bytes that are in memory and on disk for it alone. For any thread. */
    long obsoleteBytes() {
        ReadCursor open = cursor;
        return open == null ? 0 : open.obsoleteBytes();
    }

    /** Reads on into a block that nobody needs any more. The one before may be taken from meanwhile. */
    void fill(Block into, Rest rest) throws IOException {
        endedBefore = block.endPlace();
        ByteBuffer head = items.isWithinPartition() ? copy(block.lastHead(item)) : NOTHING;
        block = into;
        block.begin(lastToken, head, capacityBytes(rest));
        items.begin(block, lastToken);
        boolean isFull = false;
        while (!isFull && (cursor != null || open())) {
            isFull = fillFromCursor(rest);
            if (!isFull) {
                closeCursor();
            }
        }
        if (isFull) {
            lastToken = shown.key().token();
            items.end(shown);
        }
        block.end(lastToken, isFull ? place() : null, !isFull, items.firstExpirySeconds());
        longestBytes = Math.max(longestBytes, block.lengthBytes());
        rowBytes = block.rowCount() == 0 ? rowBytes : block.lengthBytes() / block.rowCount() + 1;
    }

    /** What a block is likely to take, by those before: to make an array too long takes time, and to have it grow. */
    private int capacityBytes(Rest rest) {
        long bytes = Math.min(longestBytes, (long) rest.rows() * rowBytes);
        return (int) Math.max(BLOCK_MIN_BYTES, bytes + bytes / SPARE_FRACTION);
    }

    /** Where the block ends: all before is in it or one before, or shows nothing. */
    private RingPosition place() {
        PositionInPartition position = shown.positionInPartition();
        if (isPaused() && !items.hasRow()) {
            position = afterRow(position);
        }
        return RingPosition.of(shown.key().toDecoratedKey(), position);
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return bytes.hasRemaining()
                ? ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()
                : NOTHING;
    }

    private boolean open() throws IOException {
        ReadCursor next = source.next();
        if (next == null) {
            return false;
        }
        cursor = next;
        if (!next.schema().equals(schema)) {
            throw new SchemaChangedException(schema);
        }
        select = wantsDeletions ? null : new SelectCursor(next, nowSeconds);
        shown = wantsDeletions ? next : select;
        Optional<PositionInPartition> rest = source.rest();
        // A place at a row tells that the partition has shown one.
        items.resumePartition(rest.isPresent() && isAtRow(rest.get()));
        return true;
    }

    private void closeCursor() throws IOException {
        FragmentCursor last = shown;
        cursor = null;
        select = null;
        shown = null;
        items.leavePartition();
        last.close();
    }

    /** Whether the block is full; else the cursor is at its end. */
    private boolean fillFromCursor(Rest rest) throws IOException {
        long tombstonesBefore = tombstoneCount() - block.passedTombstones();
        long tombstonesMost = tombstonesBefore + rest.tombstones();
        if (select != null) {
            select.pauseAt(tombstonesMost);
        }
        while (true) {
            FragmentKind kind = shown.advance();
            if (kind == FragmentKind.CLUSTERING_ROW) {
                items.addRow(shown);
            } else if (kind == null && !isPaused()) {
                block.passedTombstones((int) (tombstoneCount() - tombstonesBefore));
                return false;
            } else if (isInGap(kind)) {
                continue;
            } else if (kind != null) {
                items.add(shown, kind);
            }
            boolean isFull = block.lengthBytes() >= rest.bytes()
                    || block.rowCount() >= rest.rows()
                    || tombstoneCount() >= tombstonesMost
                    || block.passedRows() >= rest.filtered();
            if (isFull && canEnd()) {
                block.passedTombstones((int) (tombstoneCount() - tombstonesBefore));
                return true;
            }
        }
    }

    private boolean isPaused() {
        return select != null && select.isPaused();
    }

    private long tombstoneCount() {
        return select == null ? items.tombstoneCount() : select.tombstoneCount();
    }

    /** Whether the cursor was between two ranges, and stands before the second one now. */
    private boolean isInGap(FragmentKind kind) throws IOException {
        if (ranges.isEmpty() || kind != null && kind != FragmentKind.PARTITION_START) {
            return false;
        }
        long token = shown.key().token();
        while (token > ranges.get(rangeIndex).last()) {
            rangeIndex++;
        }
        long first = ranges.get(rangeIndex).first();
        if (token >= first) {
            return false;
        }
        shown.forwardTo(first);
        return true;
    }

    /** Whether the place at which the cursor stands tells a reader that is opened there all that it needs. */
    private boolean canEnd() {
        if (!isPaused() && shown.kind() == FragmentKind.CLUSTERING_ROW) {
            return true;
        }
        PositionInPartition position = shown.positionInPartition();
        return switch (position.region()) {
            case START, STATIC -> false;
            case CLUSTERED -> isAtRow(position) || canEndBetweenRows(position);
            case END -> true;
        };
    }

    private static boolean isAtRow(PositionInPartition position) {
        return position.region() == PositionInPartition.Region.CLUSTERED
                && position.weight() == ClusteringComparator.AT;
    }

    private boolean canEndBetweenRows(PositionInPartition position) {
        // The place of a row alone tells that the partition has rows, so that its static row is not shown as one.
        if (items.hasRow() && items.hasStatics()) {
            return false;
        }
        // A deletion that is open where the cursor begins is met there by each that is opened there. The place behind a
        // row that is gone, where the block before may have ended, is where a deletion ends that was open at the row.
        return isElsewhere(source.rest(), position) && isElsewhere(endedAt(), position);
    }

    private boolean isElsewhere(Optional<PositionInPartition> place, PositionInPartition position) {
        return place.isEmpty() || afterRow(place.get()).compareTo(position, comparator) != 0;
    }

    /** Where in this partition the block before ended, if it did. */
    private Optional<PositionInPartition> endedAt() {
        return endedBefore
                .filter(place -> place.key().orElseThrow().equals(shown.key().toDecoratedKey()))
                .map(RingPosition::position);
    }

    /** The place behind a row, in the direction of reading; of what is no row's the same place. */
    private PositionInPartition afterRow(PositionInPartition position) {
        if (!isAtRow(position)) {
            return position;
        }
        return reversed ? PositionInPartition.before(position.prefix()) : PositionInPartition.after(position.prefix());
    }

    @Override
    public void close() throws IOException {
        if (shown != null) {
            FragmentCursor last = shown;
            shown = null;
            select = null;
            last.close();
        } else if (cursor != null) {
            cursor.close();
        }
    }
}
