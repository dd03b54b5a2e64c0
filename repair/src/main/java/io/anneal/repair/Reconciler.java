package io.anneal.repair;

import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.message.WindowSummary;
import java.io.IOException;
import java.util.List;

/** Finds out in what the items of a window differ, of one phase. Owned by the master's thread. */
interface Reconciler {
    /**
     * Of each follower. What the answers say adds up to the follower's sum and count.
     *
     * @param mine hashes of the master's items; stays as it is
     * @param sum of the master's items
     * @param theirs the sum of each follower
     * @param ahead the first symbols of each follower that came with its sum, if any did; empty if none can be used
     * @throws RepairException when a follower answers what cannot be
     */
    List<FollowerDifference> differences(
            long[] mine, WindowSummary.Sum sum, List<WindowSummary.Sum> theirs, List<Sketch> ahead) throws IOException;
}
