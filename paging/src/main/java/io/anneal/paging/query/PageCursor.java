package io.anneal.paging.query;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A page's items as fragments. A range deletion stands in the page where it comes first in the direction of reading, and ends within
 * the page. One thread.
 */
public final class PageCursor extends SourceCursor {
    private final List<ByteBuffer> buffers;
    private final ClusteringComparator comparator;
    /** What comes first in the direction of reading compares as less. */
    private final int sign;

    private final EncodedItem item;
    private final Clustering place = new Clustering();
    private final RangeDeletion read = new RangeDeletion();
    private final RangeDeletion open = new RangeDeletion();
    private boolean isOpen;
    private int bufferIndex;
    private byte[] bytes;
    private int at;
    private int limit;
    private boolean hasItem;

    private PageCursor(Page page, boolean reversed, EncodedItem item) throws IOException {
        super(page.schema());
        this.item = item;
        buffers = page.items();
        comparator = ClusteringComparator.of(page.schema());
        sign = reversed ? -1 : 1;
        next();
    }

    /**
     * Reads a page that this process made, or checked before.
     *
     * @param reversed whether the query's rows come against clustering order
     */
    public static PageCursor of(Page page, boolean reversed) throws IOException {
        return new PageCursor(page, reversed, new EncodedItem(page.schema()).trusting());
    }

    /** The same of a page that a peer made: what is in it is checked as it is read, but for the order of places. */
    public static PageCursor checking(Page page, boolean reversed) throws IOException {
        return new PageCursor(page, reversed, new EncodedItem(page.schema()));
    }

    private void next() throws IOException {
        while (at >= limit) {
            if (bufferIndex == buffers.size()) {
                hasItem = false;
                return;
            }
            ByteBuffer buffer = buffers.get(bufferIndex++);
            bytes = buffer.array();
            at = buffer.arrayOffset() + buffer.position();
            limit = buffer.arrayOffset() + buffer.limit();
        }
        item.wrap(bytes, at, limit);
        at = item.endOffset();
        hasItem = true;
    }

    @Override
    public FragmentKind advance() throws IOException {
        kind = kind == null || kind == FragmentKind.PARTITION_END ? start() : nextOfPartition();
        return kind;
    }

    /** Whether an item comes after what it stands at; what ends here does not count. */
    public boolean hasMore() {
        return hasItem;
    }

    private FragmentKind start() throws IOException {
        if (!hasItem) {
            return null;
        }
        key.wrap(item.key().toDecoratedKey());
        partitionDeletion = DeletionTime.LIVE;
        if (item.kind() == ItemKind.PARTITION_DELETION) {
            item.readPartitionDeletion(read);
            partitionDeletion = new DeletionTime(read.timestampMicros(), read.localDeletionTimeSeconds());
            next();
        }
        return FragmentKind.PARTITION_START;
    }

    private FragmentKind nextOfPartition() throws IOException {
        boolean goesOn = hasItem && item.isOf(key);
        if (!goesOn) {
            return isOpen ? closing() : FragmentKind.PARTITION_END;
        }
        return switch (item.kind()) {
            case STATIC_ROW -> row(FragmentKind.STATIC_ROW);
            case CLUSTERING_ROW -> isOpen && closesBeforeItem() ? closing() : row(FragmentKind.CLUSTERING_ROW);
            case RANGE_DELETION -> rangeDeletion();
            case PARTITION_DELETION ->
                throw new CorruptItemException("deletion of a partition comes behind its rows", item.offset(), "");
        };
    }

    private boolean closesBeforeItem() throws IOException {
        item.readPosition(place);
        return compare(open, place, ClusteringComparator.AT) < 0;
    }

    private FragmentKind row(FragmentKind rowKind) throws IOException {
        item.readRow(row);
        next();
        return rowKind;
    }

    private FragmentKind rangeDeletion() throws IOException {
        item.readRangeDeletion(read);
        boolean forwards = sign > 0;
        Clustering first = forwards ? read.start() : read.end();
        int weight = forwards ? read.startWeight() : read.endWeight();
        if (isOpen && compare(open, first, weight) < 0) {
            return closing();
        }
        change(first, weight, read.timestampMicros(), read.localDeletionTimeSeconds());
        open.wrap(read);
        isOpen = true;
        next();
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    /** How the end of the open deletion, in the direction of reading, stands to a place. */
    private int compare(RangeDeletion deletion, Clustering other, int weight) {
        return sign > 0
                ? comparator.compare(deletion.end(), deletion.endWeight(), other, weight)
                : -comparator.compare(deletion.start(), deletion.startWeight(), other, weight);
    }

    private FragmentKind closing() {
        boolean forwards = sign > 0;
        change(
                forwards ? open.end() : open.start(),
                forwards ? open.endWeight() : open.startWeight(),
                DeletionTime.NO_TIMESTAMP,
                DeletionTime.NO_DELETION_TIME);
        isOpen = false;
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    private void change(Clustering prefix, int weight, long timestampMicros, long localSeconds) {
        change.prefix().wrap(prefix);
        change.weight(weight);
        change.deletion(timestampMicros, localSeconds);
    }

    @Override
    public void nextPartition() throws IOException {
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            while (hasItem && item.isOf(key)) {
                next();
            }
            isOpen = false;
            kind = FragmentKind.PARTITION_END;
        }
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            if (key.token() >= token) {
                return;
            }
            nextPartition();
        }
        while (hasItem && item.key().token() < token) {
            next();
        }
    }
}
