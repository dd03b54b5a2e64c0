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
import java.util.TreeMap;

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
        List<RangeDeletion> steps = steps(key);
        int low = 0;
        int high = steps.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            RangeDeletion step = steps.get(middle);
            if (comparator.compare(step.end(), step.endWeight(), clustering, ClusteringComparator.AT) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < steps.size()) {
            RangeDeletion step = steps.get(low);
            if (comparator.compare(step.start(), step.startWeight(), clustering, ClusteringComparator.AT) < 0) {
                return new DeletionTime(step.timestampMicros(), step.localDeletionTimeSeconds());
            }
        }
        return partitionDeletion(key);
    }

    /** The parts of {@code within} that something here covers, each with what covers it, in order. */
    public List<RangeDeletion> covering(DecoratedKey key, RangeDeletion within) {
        List<RangeDeletion> intervals = new ArrayList<>(steps(key));
        DeletionTime whole = partitionDeletion(key);
        if (!whole.isLive()) {
            RangeDeletion all = within.copy();
            all.deletion(whole.timestampMicros(), whole.localDeletionTimeSeconds());
            intervals.add(all);
        }
        List<RangeDeletion> parts = new ArrayList<>();
        for (RangeDeletion step : disjoint(intervals, DeletionTime.LIVE)) {
            if (clip(step, within)) {
                parts.add(step);
            }
        }
        return parts;
    }

    private List<RangeDeletion> disjoint(List<RangeDeletion> intervals, DeletionTime partitionDeletion) {
        merger.clear();
        intervals.forEach(merger::add);
        List<RangeDeletion> result = new ArrayList<>();
        merger.merge(partitionDeletion, interval -> result.add(interval.copy()));
        return result;
    }

    /** Cuts off what is outside {@code within}; false when nothing is left. */
    private boolean clip(RangeDeletion step, RangeDeletion within) {
        if (comparator.compare(step.start(), step.startWeight(), within.start(), within.startWeight()) < 0) {
            step.start().wrap(within.start());
            step.weights(within.startWeight(), step.endWeight());
        }
        if (comparator.compare(step.end(), step.endWeight(), within.end(), within.endWeight()) > 0) {
            step.end().wrap(within.end());
            step.weights(step.startWeight(), within.endWeight());
        }
        return comparator.compare(step.start(), step.startWeight(), step.end(), step.endWeight()) < 0;
    }

    /** Whether some part of the item is not covered by an equal or newer deletion known here. */
    public boolean adds(DeletionItem item) {
        if (item.isPartition()) {
            return item.deletion().supersedes(partitionDeletion(item.key()));
        }
        RangeDeletion range = item.range().orElseThrow();
        Clustering at = range.start();
        int weight = range.startWeight();
        for (RangeDeletion part : covering(item.key(), range)) {
            boolean gap = comparator.compare(at, weight, part.start(), part.startWeight()) < 0;
            if (gap || item.deletion().supersedes(deletionOf(part))) {
                return true;
            }
            at = part.end();
            weight = part.endWeight();
        }
        return comparator.compare(at, weight, range.end(), range.endWeight()) < 0;
    }

    public static DeletionTime deletionOf(RangeDeletion range) {
        return new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
    }
}
