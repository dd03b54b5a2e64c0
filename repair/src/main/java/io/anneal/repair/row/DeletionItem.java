package io.anneal.repair.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
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

    public boolean isPartition() {
        return range.isEmpty();
    }
}
