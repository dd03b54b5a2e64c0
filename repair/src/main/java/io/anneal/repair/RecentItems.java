package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.KnownDeletions;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the cut-off leaves out of a window on any replica, in a dry run. Where one replica has a write that is on its way still,
 * the others have what stood there before: that is no difference. Holds places as they came, so that rows cost no object. One
 * thread.
 */
final class RecentItems {
    private final EncodedItem item;
    private final KnownDeletions deletions;
    private final ClusteringComparator comparator;
    private final List<Places> places = new ArrayList<>();

    /** Rows of a replica, behind its deletions. */
    private record Places(byte[] items, int offset) {}

    RecentItems(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema);
        deletions = new KnownDeletions(schema);
    }

    /**
     * What a replica has.
     *
     * @param window to read with
     * @throws RepairException when these are no items
     */
    void add(String replica, byte[] items, Window window) throws IOException {
        try {
            int at = 0;
            while (at < items.length && ItemCodec.isDeletion(item.wrap(items, at, items.length))) {
                deletions.add(window.hash(item).item());
                at = item.endOffset();
            }
            places.add(new Places(items, at));
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what are no places, replica=" + replica, e);
        }
    }

    /**
     * Whether a replica that has not this deletion lacks it only where one that is left out hides it, or has cut it off.
     *
     * @param held deletions that the replica has
     */
    boolean hide(DeletionItem deletion, List<DeletionItem> held) {
        if (!deletions.partitionDeletion(deletion.key()).isLive()) {
            return true;
        }
        List<RangeDeletion> recent = deletions.steps(deletion.key());
        // Without any in its partition none has cut it off: that another partition has some must not change the answer.
        return !deletion.isPartition()
                && !recent.isEmpty()
                && cover(
                        deletion.range().orElseThrow(),
                        Stream.concat(
                                        recent.stream(),
                                        held.stream()
                                                .filter(other -> !other.isPartition()
                                                        && other.key().equals(deletion.key())
                                                        && other.deletion().equals(deletion.deletion()))
                                                .map(other -> other.range().orElseThrow()))
                                .sorted((left, right) -> comparator.compare(
                                        left.start(), left.startWeight(), right.start(), right.startWeight()))
                                .toList());
    }

    /** Whether ranges, in the order of their starts, leave nothing of a whole one. */
    private boolean cover(RangeDeletion whole, List<RangeDeletion> parts) {
        Clustering covered = whole.start();
        int weight = whole.startWeight();
        for (RangeDeletion part : parts) {
            if (comparator.compare(part.start(), part.startWeight(), covered, weight) <= 0
                    && comparator.compare(part.end(), part.endWeight(), covered, weight) > 0) {
                covered = part.end();
                weight = part.endWeight();
            }
        }
        return comparator.compare(covered, weight, whole.end(), whole.endWeight()) >= 0;
    }

    /** Whether nothing is left out. */
    boolean isEmpty() {
        return deletions.isEmpty() && places.stream().allMatch(rows -> rows.offset == rows.items.length);
    }

    /** Takes out of {@code differing} the places at which some replica has a row or a deletion that is left out. */
    void removeFrom(Collection<RingPosition> differing, Window window) throws IOException {
        if (!deletions.isEmpty()) {
            differing.removeIf(this::isDeleted);
        }
        for (Places rows : places) {
            byte[] items = rows.items;
            for (int at = rows.offset; at < items.length && !differing.isEmpty(); at = item.endOffset()) {
                differing.remove(window.position(item.wrap(items, at, items.length)));
            }
        }
    }

    private boolean isDeleted(RingPosition place) {
        DeletionTime covering = place.position().region() == PositionInPartition.Region.STATIC
                ? deletions.partitionDeletion(place.key().orElseThrow())
                : deletions.covering(place.key().orElseThrow(), place.position().prefix());
        return !covering.isLive();
    }
}
