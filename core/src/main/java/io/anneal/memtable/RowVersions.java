package io.anneal.memtable;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.Row;
import io.anneal.merge.RowMerger;
import io.anneal.schema.TableSchema;
import java.util.Arrays;

/** Versions of one row, decoded and merged: flyweights that are used for row after row. Owned by one thread. */
final class RowVersions {
    private final TableSchema schema;
    private final Slabs slabs;
    private final EncodedItem item;

    private Row[] rows = new Row[] {new Row()};
    private int count;
    private Row merged;
    private RowMerger merger;

    /** @param item a flyweight of the same thread, which is re-pointed */
    RowVersions(TableSchema schema, Slabs slabs, EncodedItem item) {
        this.schema = schema;
        this.slabs = slabs;
        this.item = item;
    }

    /** Forgets all versions. */
    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    /** Of the version that was added first. */
    int newestCellCount() {
        return rows[0].entryCount();
    }

    /** Decodes a version, which must hold a row. */
    void add(int version) throws CorruptItemException {
        byte[] slab = slabs.slab(slabs.get(version + Nodes.VERSION_SLAB));
        add(item.wrap(slab, slabs.get(version + Nodes.VERSION_OFFSET), slab.length));
    }

    /** Decodes a row that lies somewhere else. */
    void add(EncodedItem other) throws CorruptItemException {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        rows[count] = rows[count] == null ? new Row() : Row.recycle(rows[count]);
        other.readRow(rows[count]);
        count++;
    }

    /** The only version as it is, or the merge of all; null when that is empty. Valid until {@link #clear}. */
    Row merge() {
        if (count == 1) {
            return rows[0].isEmpty() ? null : rows[0];
        }
        if (merger == null) {
            merger = new RowMerger(schema, CanonicalEncoder.UNCLAMPED);
            merged = new Row();
        }
        merged = Row.recycle(merged);
        merger.start(rows[0].isStatic());
        for (int i = 0; i < count; i++) {
            merger.add(rows[i]);
        }
        return merger.merge(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME, merged) ? merged : null;
    }
}
