package io.anneal.repair.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import java.util.Optional;

/**
 * A deletion of a window: of a partition, or of an interval of one. Immutable by agreement.
 *
 * @param range empty for the deletion of the whole partition; owns its bytes
 */
public record DeletionItem(DecoratedKey key, Optional<RangeDeletion> range, DeletionTime deletion) {
    public static DeletionItem ofPartition(DecoratedKey key, DeletionTime deletion) {
        return new DeletionItem(key, Optional.empty(), deletion);
    }

    public static DeletionItem ofRange(DecoratedKey key, RangeDeletion range) {
        return new DeletionItem(
                key, Optional.of(range), new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds()));
    }

    /** Whether it begins where another ends and says the same, as a deletion that is cut at a window's end. */
    public boolean goesOnAfter(DeletionItem before, ClusteringComparator comparator) {
        if (isPartition() || before.isPartition() || !key.equals(before.key) || !deletion.equals(before.deletion)) {
            return false;
        }
        RangeDeletion first = before.range.orElseThrow();
        RangeDeletion next = range.orElseThrow();
        return comparator.compare(first.end(), first.endWeight(), next.start(), next.startWeight()) == 0;
    }

    public boolean isPartition() {
        return range.isEmpty();
    }
}
