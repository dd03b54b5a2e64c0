package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/**
 * The cursor over encoded items: what a writer or a merge reads of what a peer sent. Range deletions, which are
 * intervals, become changes: an opening at their start, a closing at their end, one change where two touch. Items out of
 * order and overlapping intervals are a {@link CorruptItemException}; several peers' items go through one cursor each and
 * a merge. Nothing is copied: rows point into the source's buffers, which must stay as they are until the cursor is
 * closed. Owned by one thread.
 */
public final class ItemCursor implements FragmentCursor {
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final ItemSource source;
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();
    private final RangeDeletion partitionDeletion = new RangeDeletion();
    private final Clustering currentPrefix = new Clustering();
    private final Clustering nextPrefix = new Clustering();

    private EncodedItem current;
    private EncodedItem next;
    private Row row = new Row();
    private RangeDeletion open = new RangeDeletion();
    private RangeDeletion opening = new RangeDeletion();
    private FragmentKind kind;
    private boolean started;
    private boolean hasKey;
    private boolean hasNext;
    private boolean nextHasKey;
    private boolean hasOpen;
    private int currentWeight;
    private int nextWeight;

    public ItemCursor(TableSchema schema, ItemSource source) {
        this.schema = schema;
        this.source = source;
        comparator = ClusteringComparator.of(schema);
        current = new EncodedItem(schema);
        next = new EncodedItem(schema);
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() throws IOException {
        if (!started) {
            started = true;
            hasNext = source.next(next);
        }
        if (kind == null || kind == FragmentKind.PARTITION_END) {
            kind = hasNext ? startPartition() : null;
        } else {
            kind = nextFragment();
        }
        return kind;
    }

    private FragmentKind startPartition() throws IOException {
        KeyView nextKey = next.key();
        if (hasKey && key.compareTo(nextKey) >= 0) {
            throw new CorruptItemException("partitions are out of order", next.offset(), "token=" + nextKey.token());
        }
        key.wrap(nextKey);
        hasKey = true;
        nextHasKey = true;
        hasOpen = false;
        partitionDeletion.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        if (next.kind() == ItemKind.PARTITION_DELETION) {
            next.readPartitionDeletion(partitionDeletion);
            take();
        } else {
            nextWeight = next.readPosition(nextPrefix);
        }
        return FragmentKind.PARTITION_START;
    }

    /** Makes the next item the current one and looks at the one behind it. */
    private void take() throws IOException {
        EncodedItem taken = next;
        next = current;
        current = taken;
        currentPrefix.wrap(nextPrefix);
        currentWeight = nextWeight;
        hasNext = source.next(next);
        nextHasKey = hasNext && next.hasKeyOf(current);
        if (nextHasKey) {
            nextWeight = next.readPosition(nextPrefix);
            checkOrder();
        }
    }

    private void checkOrder() throws CorruptItemException {
        boolean clustered = isClustered(current.kind()) && isClustered(next.kind());
        int order = clustered
                ? comparator.compare(currentPrefix, currentWeight, nextPrefix, nextWeight)
                : Integer.compare(region(current.kind()), region(next.kind()));
        if (order >= 0) {
            throw new CorruptItemException(
                    "items are out of order", next.offset(), "previous=" + current.kind() + ", current=" + next.kind());
        }
    }

    private static boolean isClustered(ItemKind itemKind) {
        return itemKind == ItemKind.CLUSTERING_ROW || itemKind == ItemKind.RANGE_DELETION;
    }

    private static int region(ItemKind itemKind) {
        return isClustered(itemKind) ? ItemKind.CLUSTERING_ROW.code() : itemKind.code();
    }

    private FragmentKind nextFragment() throws IOException {
        while (nextHasKey && next.kind() == ItemKind.RANGE_DELETION) {
            FragmentKind changed = nextRange();
            if (changed != null) {
                return changed;
            }
        }
        if (!nextHasKey) {
            return hasOpen ? closeRange() : FragmentKind.PARTITION_END;
        }
        if (hasOpen && comparator.compare(open.end(), open.endWeight(), nextPrefix, nextWeight) < 0) {
            return closeRange();
        }
        take();
        row = Row.recycle(row);
        current.readRow(row);
        return row.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
    }

    /** Closes the open interval or opens the next; null when the next goes on where the open one ends. */
    private FragmentKind nextRange() throws IOException {
        if (hasOpen) {
            int order = comparator.compare(open.end(), open.endWeight(), nextPrefix, nextWeight);
            if (order < 0) {
                return closeRange();
            }
            if (order > 0) {
                throw new CorruptItemException("range deletions overlap", next.offset(), "");
            }
        }
        next.readRangeDeletion(opening);
        boolean repeats = hasOpen
                && open.timestampMicros() == opening.timestampMicros()
                && open.localDeletionTimeSeconds() == opening.localDeletionTimeSeconds();
        RangeDeletion closed = open;
        open = opening;
        opening = closed;
        hasOpen = true;
        take();
        if (repeats) {
            return null;
        }
        change.prefix().wrap(open.start());
        change.weight(open.startWeight());
        change.deletion(open.timestampMicros(), open.localDeletionTimeSeconds());
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    private FragmentKind closeRange() {
        hasOpen = false;
        change.prefix().wrap(open.end());
        change.weight(open.endWeight());
        change.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        return FragmentKind.RANGE_TOMBSTONE_CHANGE;
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return partitionDeletion.timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return partitionDeletion.localDeletionTimeSeconds();
    }

    @Override
    public Row row() {
        assert kind == FragmentKind.STATIC_ROW || kind == FragmentKind.CLUSTERING_ROW : kind;
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert kind == FragmentKind.RANGE_TOMBSTONE_CHANGE : kind;
        return change;
    }

    @Override
    public void nextPartition() throws IOException {
        if (kind == null || kind == FragmentKind.PARTITION_END) {
            return;
        }
        while (nextHasKey) {
            take();
        }
        hasOpen = false;
        kind = FragmentKind.PARTITION_END;
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (!started) {
            started = true;
            hasNext = source.next(next);
        }
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            if (key.token() >= token) {
                return;
            }
            nextPartition();
        }
        while (hasNext && next.key().token() < token) {
            hasNext = source.next(next);
        }
    }

    @Override
    public void close() {
        hasNext = false;
        nextHasKey = false;
        kind = null;
    }
}
