package io.anneal.node;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.RangeDeletionMerger;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One partition out of encoded items, in any order, that a replica handed out. Holds all of it. A cursor over it once the
 * last item was added. One thread.
 */
public final class FetchedPartition extends SourceCursor {
    private final DecoratedKey wanted;
    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final RangeDeletionMerger ranges;
    private final List<Row> rows = new ArrayList<>();
    private final List<RangeTombstoneChange> changes = new ArrayList<>();

    private Row staticRow;
    private boolean found;
    private int nextRow;
    private int nextChange;

    FetchedPartition(TableSchema schema, DecoratedKey wanted) {
        super(schema);
        this.wanted = wanted;
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema);
        ranges = new RangeDeletionMerger(schema);
        key.wrap(wanted);
    }

    /** Adds items that lie one behind the other; those of other keys with the same token are passed over. */
    void add(byte[] items) throws IOException {
        RangeDeletion range = new RangeDeletion();
        for (int at = 0; at < items.length; at = item.endOffset()) {
            item.wrap(items, at, items.length);
            if (!item.key().sameAs(key)) {
                continue;
            }
            found = true;
            switch (item.kind()) {
                case PARTITION_DELETION -> {
                    item.readPartitionDeletion(range);
                    partitionDeletion = new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
                }
                case RANGE_DELETION -> {
                    item.readRangeDeletion(range);
                    ranges.add(range);
                }
                case STATIC_ROW -> {
                    staticRow = new Row();
                    item.readRow(staticRow);
                }
                case CLUSTERING_ROW -> {
                    Row clustered = new Row();
                    item.readRow(clustered);
                    rows.add(clustered);
                }
            }
        }
    }

    /** Whether there was any item of the key; puts them in order. */
    boolean conclude() {
        rows.sort((left, right) -> comparator.compare(left.clustering(), right.clustering()));
        ranges.merge(partitionDeletion, range -> {
            RangeTombstoneChange last = changes.isEmpty() ? null : changes.get(changes.size() - 1);
            boolean goesOn = last != null
                    && comparator.compare(last.prefix(), last.weight(), range.start(), range.startWeight()) == 0;
            if (goesOn) {
                changes.remove(changes.size() - 1);
            }
            RangeTombstoneChange opens = new RangeTombstoneChange();
            opens.prefix().wrap(range.start().copy());
            opens.weight(range.startWeight());
            opens.deletion(range.timestampMicros(), range.localDeletionTimeSeconds());
            changes.add(opens);
            RangeTombstoneChange closes = new RangeTombstoneChange();
            closes.prefix().wrap(range.end().copy());
            closes.weight(range.endWeight());
            closes.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
            changes.add(closes);
        });
        return found;
    }

    @Override
    public FragmentKind advance() {
        if (kind == null) {
            kind = FragmentKind.PARTITION_START;
        } else if (kind == FragmentKind.PARTITION_START && staticRow != null) {
            row = staticRow;
            kind = FragmentKind.STATIC_ROW;
        } else if (kind == FragmentKind.PARTITION_END) {
            kind = null;
        } else {
            kind = nextClustered();
        }
        return kind;
    }

    private FragmentKind nextClustered() {
        boolean hasRow = nextRow < rows.size();
        boolean hasChange = nextChange < changes.size();
        if (!hasRow && !hasChange) {
            return FragmentKind.PARTITION_END;
        }
        boolean changeFirst = !hasRow
                || hasChange
                        && comparator.compare(
                                        changes.get(nextChange).prefix(),
                                        changes.get(nextChange).weight(),
                                        rows.get(nextRow).clustering(),
                                        ClusteringComparator.AT)
                                < 0;
        if (changeFirst) {
            nextChange++;
            return FragmentKind.RANGE_TOMBSTONE_CHANGE;
        }
        row = rows.get(nextRow++);
        return FragmentKind.CLUSTERING_ROW;
    }

    @Override
    public void nextPartition() {
        kind = FragmentKind.PARTITION_END;
    }

    @Override
    public void forwardTo(long token) {
        if (wanted.token() < token) {
            nextPartition();
        }
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return changes.get(nextChange - 1);
    }
}
