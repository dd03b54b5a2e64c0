package io.anneal.paging.querier;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
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

/**
 * A suspended read of one shard: its cursors, and one block of items that it has encoded ahead. What a page leaves of the block is with
 * the reader already when it is kept for the next page. Owned by one thread at a time.
 */
final class ShardReader implements Closeable {
    private static final int BLOCK_BYTES = 64 << 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Ascending; none where partitions are read by key. */
    private final List<TokenRange.Linear> ranges;

    private final boolean wantsDeletions;
    private final boolean reversed;
    private final CursorSource source;
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final Block block = new Block();
    private final PartitionItems items;
    private final EncodedItem item;

    private long nowSeconds;
    private int rangeIndex;
    private ReadCursor cursor;
    /** What the cursor shows; null where deletions are wanted too. */
    private SelectCursor select;

    private FragmentCursor shown;
    private boolean isExhausted;
    /** Of the partition that was read from last; before that, of the first that may be read. */
    private long lastToken;
    /** The same when the block was begun. */
    private long tokenBefore;
    /** Deletion and static row of the partition that the block goes on with. */
    private ByteBuffer head = NOTHING;

    private boolean isPageNew = true;
    private boolean isCharged = true;
    /** Whether the last item that was taken is followed by others of its partition in the block. */
    private boolean isCut;

    /**
     * A reader that has opened nothing yet.
     *
     * @param firstToken before which it has no partition
     */
    ShardReader(
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
        items = new PartitionItems(query, schema, block);
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema).trusting();
    }

    /** Whether it can go on at a time: its table is what it was, and nothing that it holds has expired. */
    boolean isCurrentAt(long seconds) {
        return seconds >= nowSeconds && seconds < items.firstExpirySeconds() && (cursor == null || cursor.isCurrent());
    }

    TableSchema schema() {
        return schema;
    }

    /** Begins another page. */
    void beginPage(long seconds) {
        nowSeconds = seconds;
        isPageNew = true;
        if (select != null) {
            select.nowSeconds(seconds);
        }
    }

    /** Whether there is nothing more, neither in the block nor after it. */
    boolean isExhausted() {
        return isExhausted && block.isTaken();
    }

    /** Whether all of the block was taken. */
    boolean isTaken() {
        return block.isTaken();
    }

    /** Token of the next item, or below which there is none. */
    long token() {
        if (block.isTaken()) {
            return lastToken;
        }
        return block.isWithinPartition() && !block.hasBegunPartition() ? tokenBefore : block.nextToken();
    }

    /** Rows in the block that were not taken. */
    int rowsAhead() {
        return block.rowsLeft();
    }

    /** Bytes of the block that were not taken. */
    int bytesAhead() {
        return block.bytesLeft();
    }

    /** Heap that it occupies, roughly. */
    long heldBytes() {
        return (shown == null ? 0 : shown.heldBytes()) + block.heldBytes() + head.capacity();
    }

    /** Bytes that are in memory and on disk for it alone. For any thread. */
    long obsoleteBytes() {
        ReadCursor open = cursor;
        return open == null ? 0 : open.obsoleteBytes();
    }

    /** Reads the next block, which is no larger than the rest of the page. */
    void fill(PageItems page) throws IOException {
        assert block.isTaken() && !isExhausted;
        if (!items.isWithinPartition()) {
            head = NOTHING;
        } else if (block.hasBegunPartition()) {
            head = copy(block.head(item));
        }
        tokenBefore = lastToken;
        isCharged = false;
        isCut = false;
        block.begin();
        items.begin(lastToken);
        boolean isFull = false;
        while (!isFull && (cursor != null || open())) {
            isFull = fillFromCursor(page);
            if (!isFull) {
                closeCursor();
            }
        }
        isExhausted = !isFull;
        if (isFull) {
            lastToken = shown.key().token();
            items.end(shown);
        }
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return bytes.hasRemaining()
                ? ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()
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
    private boolean fillFromCursor(PageItems page) throws IOException {
        long bytesMost = Math.min(BLOCK_BYTES, page.bytesLeft());
        int rowsMost = page.rowsLeft();
        int filteredMost = page.filteredLeft();
        long tombstonesBefore = tombstoneCount() - block.passedTombstones();
        long tombstonesMost = tombstonesBefore + page.tombstonesLeft();
        if (select != null) {
            select.pauseAt(tombstonesMost);
        }
        while (true) {
            FragmentKind kind = shown.advance();
            if (kind == null && !isPaused()) {
                block.passedTombstones((int) (tombstoneCount() - tombstonesBefore));
                return false;
            }
            if (kind != FragmentKind.CLUSTERING_ROW && isInGap(kind)) {
                continue;
            }
            if (kind != null) {
                items.add(shown, kind);
            }
            boolean isFull = block.lengthBytes() >= bytesMost
                    || block.rowCount() >= rowsMost
                    || tombstoneCount() >= tombstonesMost
                    || block.passedRows() >= filteredMost;
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
        // A deletion that is open where the cursor begins is met there by each that is opened there.
        Optional<PositionInPartition> rest = source.rest();
        return rest.isEmpty() || afterRow(rest.get()).compareTo(position, comparator) != 0;
    }

    /** The place behind a row, in the direction of reading; of what is no row's the same place. */
    private PositionInPartition afterRow(PositionInPartition position) {
        if (!isAtRow(position)) {
            return position;
        }
        return reversed ? PositionInPartition.before(position.prefix()) : PositionInPartition.after(position.prefix());
    }

    /**
     * Takes items out of the block.
     *
     * @param tokenEnd from which on another reader's partitions come first; if {@code hasEnd}
     */
    void take(PageItems page, boolean hasEnd, long tokenEnd) throws IOException {
        if (isPageNew) {
            isPageNew = false;
            if (block.isWithinPartition()) {
                page.addHead(block.hasBegunPartition() ? block.head(item) : head);
            }
        }
        isCut = block.take(page, hasEnd, tokenEnd, item);
    }

    /** Whether the page, or one before, knows what was passed while the block was read. */
    boolean isCharged() {
        return isCharged;
    }

    /** Counts what was passed while the block was read; all of it was taken. */
    void charge(PageItems page) {
        if (!isCharged) {
            isCharged = true;
            page.passed(block.passedTombstones(), block.passedRows());
        }
    }

    /** Whether it stands at a place after which it could be opened anew. */
    boolean hasEndPlace() {
        return shown != null;
    }

    /** Where the block ends: all before was taken or shows nothing. */
    RingPosition endPlace() {
        assert block.isTaken();
        PositionInPartition position = shown.positionInPartition();
        if (isPaused() && !items.hasRow()) {
            position = afterRow(position);
        }
        return RingPosition.of(shown.key().toDecoratedKey(), position);
    }

    /** Whether an item was taken from the block. */
    boolean hasTaken() {
        return block.hasTaken();
    }

    /** Place of the last item that was taken. */
    RingPosition takenPlace() throws IOException {
        if (!isCut) {
            return RingPosition.of(block.lastPartition(item).key().toDecoratedKey(), PositionInPartition.END);
        }
        Clustering clustering = new Clustering();
        item.readPosition(clustering);
        return RingPosition.of(item.key().toDecoratedKey(), PositionInPartition.at(clustering.copy()));
    }

    @Override
    public void close() throws IOException {
        isExhausted = true;
        block.release();
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
