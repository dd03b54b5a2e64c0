package io.anneal.memtable;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;

/**
 * Looks for rows in a partition's skip list and adds them. The lowest level begins in the partition itself, the others in a
 * tower that is made with the second row; rows are linked backwards too. Every thread has its own: it holds flyweights.
 */
final class RowList {
    private final Slabs slabs;
    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final Clustering place = new Clustering();
    /** The owner's: the link to be replaced on each level; readers have none. */
    private final int[] links;

    private int before;
    /** Of the row that {@link #ceiling} found and the place. */
    private int order;
    /** The row behind the place that {@link #find} was asked for. */
    private int following;
    /** Levels of the links to be replaced that are known. */
    private int linkLevels;

    /** @param item a flyweight of the same thread, which is re-pointed */
    static RowList reading(Slabs slabs, ClusteringComparator comparator, EncodedItem item) {
        return new RowList(slabs, comparator, item, null);
    }

    /** Of the owner, who alone adds rows. */
    static RowList writing(Slabs slabs, ClusteringComparator comparator, EncodedItem item) {
        return new RowList(slabs, comparator, item, new int[Nodes.LEVELS]);
    }

    private RowList(Slabs slabs, ClusteringComparator comparator, EncodedItem item, int[] links) {
        this.links = links;
        this.slabs = slabs;
        this.comparator = comparator;
        this.item = item;
    }

    /** The first row that is not before the place, or 0. {@link #before()} is the row in front of it. */
    int ceiling(int partition, Clustering prefix, int weight) throws CorruptItemException {
        int tower = slabs.getAcquire(partition + Nodes.ROW_TOWER);
        int node = 0;
        int passed = 0;
        order = 1;
        for (int level = tower == 0 ? 0 : Nodes.LEVELS - 1; ; level--) {
            int link = link(partition, tower, node, level);
            int next = slabs.getAcquire(link);
            while (next != 0 && next != passed) {
                int nextOrder = compare(next, prefix, weight);
                if (nextOrder >= 0) {
                    order = nextOrder;
                    break;
                }
                node = next;
                link = node + Nodes.ROW_NEXT + level;
                next = slabs.getAcquire(link);
            }
            if (links != null) {
                links[level] = link;
            }
            if (level == 0) {
                before = node;
                return next;
            }
            passed = next;
        }
    }

    /** The row at the place, or 0: then {@link #add} adds it. The owner's alone; tries the end first, where most rows come. */
    int find(int partition, Clustering clustering) throws CorruptItemException {
        int last = slabs.get(partition + Nodes.LAST_ROW);
        if (last != 0) {
            int lastOrder = compare(last, clustering, ClusteringComparator.AT);
            if (lastOrder == 0) {
                return last;
            }
            if (lastOrder < 0) {
                before = last;
                following = 0;
                links[0] = last + Nodes.ROW_NEXT;
                linkLevels = 1;
                return 0;
            }
        }
        following = ceiling(partition, clustering, ClusteringComparator.AT);
        linkLevels = Nodes.LEVELS;
        return following != 0 && order == 0 ? following : 0;
    }

    /** The row in front of the place that was looked for last, or 0. */
    int before() {
        return before;
    }

    int first(int partition) {
        return slabs.getAcquire(partition + Nodes.FIRST_ROW);
    }

    int last(int partition) {
        return slabs.getAcquire(partition + Nodes.LAST_ROW);
    }

    int next(int row) {
        return slabs.getAcquire(row + Nodes.ROW_NEXT);
    }

    int previous(int row) {
        return slabs.getAcquire(row + Nodes.ROW_PREVIOUS);
    }

    private static int link(int partition, int tower, int node, int level) {
        if (node != 0) {
            return node + Nodes.ROW_NEXT + level;
        }
        return level == 0 ? partition + Nodes.FIRST_ROW : tower + level - 1;
    }

    /** Order of a row and a place. */
    int compare(int row, Clustering prefix, int weight) throws CorruptItemException {
        byte[] slab = slabs.slab(slabs.get(row + Nodes.ROW_SLAB));
        item.wrap(slab, slabs.get(row + Nodes.ROW_OFFSET), slab.length).readPosition(place);
        return comparator.compare(place, ClusteringComparator.AT, prefix, weight);
    }

    /**
     * Adds the row that {@link #find} was asked for last.
     *
     * @param version of the row, whose item gives the place, which is {@code clustering}
     */
    void add(int partition, Clustering clustering, int version, Levels levels) throws CorruptItemException {
        boolean single = slabs.get(partition + Nodes.LAST_ROW) == 0;
        int height = single ? 1 : levels.next();
        if (!single && slabs.get(partition + Nodes.ROW_TOWER) == 0) {
            addTower(partition);
        }
        if (height > linkLevels) {
            ceiling(partition, clustering, ClusteringComparator.AT);
        }
        int node = slabs.allocate(Nodes.ROW_NEXT + height);
        slabs.set(node + Nodes.ROW_SLAB, slabs.get(version + Nodes.VERSION_SLAB));
        slabs.set(node + Nodes.ROW_OFFSET, slabs.get(version + Nodes.VERSION_OFFSET));
        slabs.set(node + Nodes.ROW_VERSIONS, version);
        slabs.set(node + Nodes.ROW_PREVIOUS, before);
        for (int level = 0; level < height; level++) {
            slabs.set(node + Nodes.ROW_NEXT + level, slabs.get(links[level]));
        }
        for (int level = 0; level < height; level++) {
            slabs.setRelease(links[level], node);
        }
        slabs.setRelease(following == 0 ? partition + Nodes.LAST_ROW : following + Nodes.ROW_PREVIOUS, node);
    }

    private void addTower(int partition) {
        int tower = slabs.allocate(Nodes.LEVELS - 1);
        for (int level = 1; level < Nodes.LEVELS; level++) {
            slabs.set(tower + level - 1, 0);
            links[level] = tower + level - 1;
        }
        slabs.setRelease(partition + Nodes.ROW_TOWER, tower);
    }
}
