package io.anneal.paging.querier;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.ItemKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.RingPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Items that a shard reader has encoded ahead of whoever consumes them, with the places where partitions begin. Its bytes are
 * an array of its own each time that it is filled, so that pages refer to it; the rest is used again. Owned by one thread at a time.
 *
 * <pre>
 *   items   | rows of the partition before | partition 0 | partition 1 | ...
 *   taken   ---------------------------------------> at
 * </pre>
 */
final class Block {
    private static final int PARTITIONS_MIN = 16;
    private static final int NONE = -1;
    private static final byte[] NOTHING = new byte[0];
    private static final ByteBuffer NO_HEAD = ByteBuffer.allocate(0);

    private final DeletionCut cut;
    private ByteWriter out = new ByteWriter(0);
    private long[] tokens = new long[PARTITIONS_MIN];
    private int[] offsets = new int[PARTITIONS_MIN];
    private int[] rowsBefore = new int[PARTITIONS_MIN];
    private int partitionCount;
    private int rowCount;
    private int passedTombstones;
    private int passedRows;

    /** Deletion and static row of the partition that it goes on with. */
    private ByteBuffer headBefore = NO_HEAD;

    private long tokenBefore;
    private long tokenAfter;
    private Optional<RingPosition> endPlace = Optional.empty();
    private boolean isLast;
    private long firstExpirySeconds = Long.MAX_VALUE;

    private int at;
    /** Partitions that begin before {@link #at}. */
    private int partitionsBegun;

    private int rowsTaken;
    /** The rest of a deletion that was cut where a page ended. */
    private byte[] carried = NOTHING;
    /** Whether it is for the next page. */
    private boolean isRestCarried;

    /** @param cut null where there are no deletions */
    Block(DeletionCut cut) {
        this.cut = cut;
    }

    /**
     * Empties it, with a new array.
     *
     * @param token of the partition that it may go on with, or below which it has none
     * @param head deletion and static row of that partition
     */
    void begin(long token, ByteBuffer head, int capacityBytes) {
        out = new ByteWriter(capacityBytes);
        tokenBefore = token;
        headBefore = head;
        partitionCount = 0;
        rowCount = 0;
        passedTombstones = 0;
        passedRows = 0;
        at = 0;
        partitionsBegun = 0;
        rowsTaken = 0;
    }

    /**
     * All of it is there.
     *
     * @param token of the partition at which it ends
     * @param place after which a reader could be opened anew; null where nothing is left
     * @param last whether nothing comes after it
     */
    void end(long token, RingPosition place, boolean last, long expirySeconds) {
        tokenAfter = token;
        endPlace = Optional.ofNullable(place);
        isLast = last;
        firstExpirySeconds = expirySeconds;
    }

    /** Whether nothing of it has expired. */
    boolean isFreshAt(long seconds) {
        return seconds < firstExpirySeconds;
    }

    boolean isLast() {
        return isLast;
    }

    /** After which a reader could be opened anew when all of it was taken. */
    Optional<RingPosition> endPlace() {
        return endPlace;
    }

    /** Token of the partition at which it ends. */
    long endToken() {
        return tokenAfter;
    }

    /** Token of the next item, or below which there is none. */
    long token() {
        if (isTaken()) {
            return tokenAfter;
        }
        if (!isWithinPartition()) {
            return tokens[partitionsBegun];
        }
        return partitionsBegun > 0 ? tokens[partitionsBegun - 1] : tokenBefore;
    }

    /** Lets go of the bytes; the pages that refer to them have them. */
    void release() {
        out = new ByteWriter(0);
        at = 0;
        partitionCount = 0;
        partitionsBegun = 0;
        rowCount = 0;
        rowsTaken = 0;
    }

    /** Where items are appended. */
    ByteWriter out() {
        return out;
    }

    void beginPartition(long token) {
        if (partitionCount == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * partitionCount);
            offsets = Arrays.copyOf(offsets, 2 * partitionCount);
            rowsBefore = Arrays.copyOf(rowsBefore, 2 * partitionCount);
        }
        tokens[partitionCount] = token;
        offsets[partitionCount] = out.lengthBytes();
        rowsBefore[partitionCount] = rowCount;
        partitionCount++;
    }

    /** Takes the last partition's begin back, with all that was written since. */
    void forgetPartition() {
        partitionCount--;
        assert rowsBefore[partitionCount] == rowCount;
        out.truncate(offsets[partitionCount]);
    }

    void addRow() {
        rowCount++;
    }

    void passRow() {
        passedRows++;
    }

    void passedTombstones(int count) {
        passedTombstones = count;
    }

    int rowCount() {
        return rowCount;
    }

    /** Tombstones passed while it was filled. */
    int passedTombstones() {
        return passedTombstones;
    }

    /** Rows that a filter passed over meanwhile. */
    int passedRows() {
        return passedRows;
    }

    int lengthBytes() {
        return out.lengthBytes();
    }

    int heldBytes() {
        return out.capacityBytes() + headBefore.capacity() + partitionCount * (Long.BYTES + 2 * Integer.BYTES);
    }

    /** Whether any item was taken. */
    boolean hasTaken() {
        return at > 0;
    }

    boolean isTaken() {
        return at == out.lengthBytes();
    }

    /** Whether the next item goes on with a partition of which an item was taken, from here or an earlier block. */
    boolean isWithinPartition() {
        return !isTaken() && (partitionsBegun == partitionCount || at < offsets[partitionsBegun]);
    }

    int rowsLeft() {
        return rowCount - rowsTaken;
    }

    int bytesLeft() {
        return out.lengthBytes() - at;
    }

    /** Deletion and static row of the partition of the last item that was taken, or of the one that it goes on with. */
    ByteBuffer head(EncodedItem item) throws IOException {
        return head(partitionsBegun, item);
    }

    /** The same of the last partition that it has. Changes nothing. */
    ByteBuffer lastHead(EncodedItem item) throws IOException {
        return head(partitionCount, item);
    }

    private ByteBuffer head(int partitionEnd, EncodedItem item) throws IOException {
        if (partitionEnd == 0) {
            return headBefore;
        }
        int start = offsets[partitionEnd - 1];
        int end = start;
        int limit = out.lengthBytes();
        while (end < limit) {
            ItemKind kind = item.wrap(out.array(), end, limit).kind();
            if (kind != ItemKind.PARTITION_DELETION && kind != ItemKind.STATIC_ROW) {
                break;
            }
            end = item.endOffset();
        }
        return ByteBuffer.wrap(out.array(), start, end - start);
    }

    /**
     * Takes items up to a partition, or to where the page is full: at a row's end.
     *
     * @param tokenEnd partitions from this token on are left, if {@code hasEnd}
     * @param item to be used; wraps the item taken last where taking ended within a partition
     * @return whether taking ended within a partition
     */
    boolean take(PageItems page, boolean hasEnd, long tokenEnd, EncodedItem item) throws IOException {
        int partition = partitionsBegun;
        while (partition < partitionCount && !(hasEnd && tokens[partition] >= tokenEnd)) {
            partition++;
        }
        int end = partition == partitionCount ? out.lengthBytes() : offsets[partition];
        int rows = (partition == partitionCount ? rowCount : rowsBefore[partition]) - rowsTaken;
        if (rows <= page.rowsLeft() && end - at <= page.bytesLeft()) {
            taken(page, end, rows, partition);
            return false;
        }
        return takePart(page, partition, item);
    }

    /** Partition by partition, then item by item. */
    private boolean takePart(PageItems page, int partitionEnd, EncodedItem item) throws IOException {
        while (true) {
            int partition = isWithinPartition() ? partitionsBegun : partitionsBegun + 1;
            int end = partition == partitionCount ? out.lengthBytes() : offsets[partition];
            int rows = (partition == partitionCount ? rowCount : rowsBefore[partition]) - rowsTaken;
            if (rows > page.rowsLeft() || end - at > page.bytesLeft() && rows > 1) {
                return takeItems(page, end, partition, item);
            }
            taken(page, end, rows, partition);
            if (page.rowsLeft() == 0 || page.bytesLeft() <= 0 || partition == partitionEnd) {
                return false;
            }
        }
    }

    private boolean takeItems(PageItems page, int end, int partition, EncodedItem item) throws IOException {
        int next = at;
        int rows = 0;
        int deletionAt = NONE;
        while (next < end && rows < page.rowsLeft() && next - at < page.bytesLeft()) {
            do {
                item.wrap(out.array(), next, end);
                next = item.endOffset();
                deletionAt = item.kind() == ItemKind.RANGE_DELETION ? item.offset() : deletionAt;
            } while (item.kind() != ItemKind.CLUSTERING_ROW && next < end);
            rows += item.kind() == ItemKind.CLUSTERING_ROW ? 1 : 0;
        }
        if (cut != null && next < end) {
            cutDeletion(page, deletionAt, item);
        }
        taken(page, next, rows, partition);
        return next < end;
    }

    /** Of a deletion that goes on after the last row the page has its part, and the next page the rest. */
    private void cutDeletion(PageItems page, int deletionAt, EncodedItem lastRow) throws IOException {
        boolean isHere = deletionAt != NONE;
        if (!isHere && carried.length == 0) {
            return;
        }
        cut.wrap(isHere ? out.array() : carried, Math.max(0, deletionAt), isHere ? out.lengthBytes() : carried.length);
        Clustering row = new Clustering();
        lastRow.readPosition(row);
        if (!cut.goesOnAfter(row)) {
            return;
        }
        byte[] rest = cut.after(row);
        if (isHere) {
            taken(page, deletionAt, 0, partitionsBegun);
            at = cut.endOffset();
        }
        carried = cut.upTo(row);
        addCarried(page);
        carried = rest;
        isRestCarried = true;
    }

    private void addCarried(PageItems page) {
        if (carried.length > 0 && !isRestCarried) {
            page.add(carried, 0, carried.length, 0);
            carried = NOTHING;
        }
    }

    private void taken(PageItems page, int end, int rows, int partition) {
        addCarried(page);
        isRestCarried = false;
        page.add(out.array(), at, end - at, rows);
        at = end;
        rowsTaken += rows;
        partitionsBegun = partition;
    }

    /** First item here of the partition of the item taken last, where the next one is another partition's. */
    EncodedItem lastPartition(EncodedItem item) throws IOException {
        int start = partitionsBegun == 0 ? 0 : offsets[partitionsBegun - 1];
        return item.wrap(out.array(), start, out.lengthBytes());
    }
}
