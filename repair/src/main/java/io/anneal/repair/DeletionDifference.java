package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.DecoratedKey;
import java.util.List;
import java.util.Optional;

/**
 * A deletion that not every replica holds.
 *
 * @param range empty for the deletion of the whole partition; owns its bytes
 * @param lacking the replicas that do not hold it: places in the list that {@link DifferenceListener#begins} had
 */
public record DeletionDifference(
        DecoratedKey key, Optional<RangeDeletion> range, DeletionTime deletion, List<Integer> lacking) {
    public DeletionDifference {
        lacking = List.copyOf(lacking);
    }
}
