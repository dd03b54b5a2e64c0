package io.anneal.repair.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.RangeDeletionMerger;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** The deletions known in a window, by partition: asks what covers a place. Owned by one thread. */
public final class KnownDeletions {
    /** The deletions of one partition; the steps are made disjoint when they are next asked for. */
    private static final class Partition {
        private DeletionTime deletion = DeletionTime.LIVE;
        private List<RangeDeletion> steps = new ArrayList<>();
        private boolean disjoint = true;
    }

    private final ClusteringComparator comparator;
    private final RangeDeletionMerger merger;
    private final NavigableMap<DecoratedKey, Partition> partitions = new TreeMap<>();

    public KnownDeletions(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
        merger = new RangeDeletionMerger(schema);
    }

    public boolean isEmpty() {
        return partitions.isEmpty();
    }

    public void clear() {
        partitions.clear();
    }

    public void add(DeletionItem item) {
        Partition partition = partitions.computeIfAbsent(item.key(), key -> new Partition());
        if (item.isPartition()) {
            if (item.deletion().supersedes(partition.deletion)) {
                partition.deletion = item.deletion();
                partition.disjoint = false;
            }
        } else {
            partition.steps.add(item.range().orElseThrow());
            partition.disjoint = false;
        }
    }

    /** Keys with a deletion, in ring order. */
    public Iterable<DecoratedKey> keys() {
        return partitions.keySet();
    }

    public DeletionTime partitionDeletion(DecoratedKey key) {
        Partition partition = partitions.get(key);
        return partition == null ? DeletionTime.LIVE : partition.deletion;
    }

    /** Disjoint intervals in order, without what the partition deletion covers as well. */
    public List<RangeDeletion> steps(DecoratedKey key) {
        Partition partition = partitions.get(key);
        if (partition == null) {
            return List.of();
        }
        if (!partition.disjoint) {
            partition.steps = disjoint(partition.steps, partition.deletion);
            partition.disjoint = true;
        }
        return partition.steps;
    }

    /** What covers a row: the partition deletion or the interval around it, whichever wins. */
    public DeletionTime covering(DecoratedKey key, Clustering clustering) {
        return step(key, clustering).map(KnownDeletions::deletionOf).orElseGet(() -> partitionDeletion(key));
    }

    /** The interval around a row, if one beats the partition deletion there. */
    public Optional<RangeDeletion> step(DecoratedKey key, Clustering clustering) {
        List<RangeDeletion> steps = steps(key);
        int index = firstBehind(steps, clustering, ClusteringComparator.AT);
        return index < steps.size() && startsBefore(steps.get(index), clustering, ClusteringComparator.AT)
                ? Optional.of(steps.get(index))
                : Optional.empty();
    }

    /** The intervals that beat the partition deletion somewhere in {@code within}, whole, in order. */
    public List<RangeDeletion> overlapping(DecoratedKey key, RangeDeletion within) {
        List<RangeDeletion> steps = steps(key);
        int from = firstBehind(steps, within.start(), within.startWeight());
        int to = from;
        while (to < steps.size() && startsBefore(steps.get(to), within.end(), within.endWeight())) {
            to++;
        }
        return steps.subList(from, to);
    }

    /** Index of the first interval that ends behind a place: the one around it, or the next. */
    private int firstBehind(List<RangeDeletion> steps, Clustering prefix, int weight) {
        int low = 0;
        int high = steps.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            RangeDeletion step = steps.get(middle);
            if (comparator.compare(step.end(), step.endWeight(), prefix, weight) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean startsBefore(RangeDeletion step, Clustering prefix, int weight) {
        return comparator.compare(step.start(), step.startWeight(), prefix, weight) < 0;
    }

    private List<RangeDeletion> disjoint(List<RangeDeletion> intervals, DeletionTime partitionDeletion) {
        merger.clear();
        intervals.forEach(merger::add);
        List<RangeDeletion> result = new ArrayList<>();
        merger.merge(partitionDeletion, interval -> result.add(interval.copy()));
        return result;
    }

    /** Whether some part of the item is not covered by an equal or newer deletion known here. */
    public boolean adds(DeletionItem item) {
        return item.isPartition()
                ? item.deletion().supersedes(partitionDeletion(item.key()))
                : isAnyPart(item, DeletionTime::supersedes);
    }

    /** Whether the item is what counts in some part of what it covers. */
    public boolean isInForce(DeletionItem item) {
        return item.isPartition()
                ? item.deletion().equals(partitionDeletion(item.key()))
                : isAnyPart(item, DeletionTime::equals);
    }

    /** Whether a range deletion stands in a relation to what is known in some part of it; most parts see one interval. */
    private boolean isAnyPart(DeletionItem item, BiPredicate<DeletionTime, DeletionTime> relation) {
        RangeDeletion range = item.range().orElseThrow();
        DeletionTime whole = partitionDeletion(item.key());
        Clustering at = range.start();
        int weight = range.startWeight();
        for (RangeDeletion step : overlapping(item.key(), range)) {
            boolean gap = comparator.compare(at, weight, step.start(), step.startWeight()) < 0;
            if (relation.test(item.deletion(), deletionOf(step)) || gap && relation.test(item.deletion(), whole)) {
                return true;
            }
            at = step.end();
            weight = step.endWeight();
        }
        boolean gapBehind = comparator.compare(at, weight, range.end(), range.endWeight()) < 0;
        return gapBehind && relation.test(item.deletion(), whole);
    }

    public static DeletionTime deletionOf(RangeDeletion range) {
        return new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
    }
}
