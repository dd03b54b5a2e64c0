package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * Items that came in any order, one peer's, put in the order that {@link ItemCursor} reads: what a peer sends is what was
 * asked for by hash. The bytes stay where they are. Holds an object per item, so it is meant for differences, not for
 * all data. Owned by one thread.
 */
public final class SortedItems implements ItemSource {
    private record Entry(
            DecoratedKey key, ItemKind kind, Clustering place, int weight, byte[] buffer, int offset, int limit) {}

    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final List<Entry> entries = new ArrayList<>();
    private boolean sorted;
    private int next;

    public SortedItems(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema);
    }

    /**
     * Adds the item that begins at {@code offset}; returns the offset behind it.
     *
     * @throws CorruptItemException when its head or place cannot be read
     */
    public int add(byte[] buffer, int offset, int limit) throws CorruptItemException {
        assert !sorted : "items are being read";
        item.wrap(buffer, offset, limit);
        Clustering place = new Clustering();
        int weight = item.readPosition(place);
        int end = item.endOffset();
        entries.add(new Entry(item.key().toDecoratedKey(), item.kind(), place, weight, buffer, offset, end));
        return end;
    }

    /** Number of items. */
    public int size() {
        return entries.size();
    }

    @Override
    public boolean next(EncodedItem out) throws CorruptItemException {
        if (!sorted) {
            sorted = true;
            entries.sort(this::compare);
        }
        if (next == entries.size()) {
            return false;
        }
        Entry entry = entries.get(next++);
        out.wrap(entry.buffer(), entry.offset(), entry.limit());
        return true;
    }

    private int compare(Entry left, Entry right) {
        int order = left.key().compareTo(right.key());
        if (order != 0) {
            return order;
        }
        boolean clustered = isClustered(left) && isClustered(right);
        return clustered
                ? comparator.compare(left.place(), left.weight(), right.place(), right.weight())
                : Integer.compare(region(left), region(right));
    }

    private static boolean isClustered(Entry entry) {
        return region(entry) == ItemKind.CLUSTERING_ROW.code();
    }

    private static int region(Entry entry) {
        return Math.min(entry.kind().code(), ItemKind.CLUSTERING_ROW.code());
    }
}
