package io.anneal.repair;

import io.anneal.key.RingPosition;
import java.util.List;

/**
 * A place at which replicas hold different rows.
 *
 * @param lacking the replicas that hold no row there, or not every version: places in the list that {@link
 *     DifferenceListener#begins} had
 */
public record RowDifference(RingPosition place, List<Integer> lacking) {
    public RowDifference {
        lacking = List.copyOf(lacking);
    }
}
