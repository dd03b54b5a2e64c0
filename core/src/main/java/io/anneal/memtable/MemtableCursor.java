package io.anneal.memtable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** Goes through the partitions of a snapshot, or stays in one. What it hands out points into the slabs. */
final class MemtableCursor implements FragmentCursor {
    private enum Place {
        BETWEEN_PARTITIONS,
        BEFORE_STATIC_ROW,
        IN_ROWS,
        DONE
    }

    private final TableSchema schema;
    private final Slabs slabs;
    private final PartitionList partitions;
    private final PartitionRows rows;
    private final EncodedItem item;
    private final int snapshot;
    private final long lastToken;
    private final boolean single;
    private final KeyView key = new KeyView();
    private final RangeDeletion deletion = new RangeDeletion();

    private int partition;
    private Place place = Place.BETWEEN_PARTITIONS;
    private FragmentKind kind;
    private Row row;

    /**
     * @param first address of the partition to begin with, or 0
     * @param single whether there is no other
     */
    MemtableCursor(
            TableSchema schema,
            Slabs slabs,
            PartitionList partitions,
            PartitionRows rows,
            EncodedItem item,
            int snapshot,
            int first,
            long lastToken,
            boolean single) {
        this.schema = schema;
        this.slabs = slabs;
        this.partitions = partitions;
        this.rows = rows;
        this.item = item;
        this.snapshot = snapshot;
        this.lastToken = lastToken;
        this.single = single;
        partition = first;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() throws IOException {
        row = null;
        kind = switch (place) {
            case BETWEEN_PARTITIONS -> startPartition();
            case BEFORE_STATIC_ROW -> afterStart();
            case IN_ROWS -> nextRow();
            case DONE -> null;
        };
        return kind;
    }

    private FragmentKind startPartition() throws IOException {
        while (partition != 0 && slabs.get(partition + Nodes.CREATED) > snapshot) {
            partition = partitions.next(partition);
        }
        if (partition == 0 || partitions.token(partition) > lastToken) {
            place = Place.DONE;
            return null;
        }
        partitions.key(partition, key);
        rows.start(partition);
        int version = rows.visible(partition + Nodes.DELETION);
        if (version == 0) {
            deletion.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        } else {
            byte[] slab = slabs.slab(slabs.get(version + Nodes.VERSION_SLAB));
            item.wrap(slab, slabs.get(version + Nodes.VERSION_OFFSET), slab.length)
                    .readPartitionDeletion(deletion);
        }
        place = Place.BEFORE_STATIC_ROW;
        return FragmentKind.PARTITION_START;
    }

    private FragmentKind afterStart() throws IOException {
        place = Place.IN_ROWS;
        row = rows.staticRow();
        return row != null ? FragmentKind.STATIC_ROW : nextRow();
    }

    private FragmentKind nextRow() throws IOException {
        FragmentKind next = rows.next();
        if (next == FragmentKind.CLUSTERING_ROW) {
            row = rows.row();
        } else if (next == FragmentKind.PARTITION_END) {
            leavePartition();
        }
        return next;
    }

    private void leavePartition() {
        partition = single ? 0 : partitions.next(partition);
        place = Place.BETWEEN_PARTITIONS;
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
        return deletion.timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return deletion.localDeletionTimeSeconds();
    }

    @Override
    public Row row() {
        assert row != null : kind;
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert kind == FragmentKind.RANGE_TOMBSTONE_CHANGE : kind;
        return rows.change();
    }

    @Override
    public void nextPartition() {
        if (place == Place.BEFORE_STATIC_ROW || place == Place.IN_ROWS) {
            leavePartition();
            kind = FragmentKind.PARTITION_END;
        }
    }

    @Override
    public void forwardTo(long token) {
        if (place == Place.BEFORE_STATIC_ROW || place == Place.IN_ROWS) {
            if (key.token() >= token) {
                return;
            }
            nextPartition();
        }
        if (partition != 0 && partitions.token(partition) < token) {
            partition = single ? 0 : partitions.ceiling(token);
        }
    }

    @Override
    public void close() {
        place = Place.DONE;
        kind = null;
    }
}
