package io.anneal.harness;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How a walk is to go.
 *
 * @param who stands in the records
 * @param bake how long each phase is watched before the next
 * @param gateTimeout how long a gate may stay shut after that, instances may take to act by a change, and the phase store not be asked
 * @param atMost how long the walk to phase 5 may take; work under way is not cut short, the way back is not counted
 * @param works what gates ask for
 * @param trouble why to turn back, asked again and again; empty while all is well
 */
public record WalkPlan(
        String who,
        Duration bake,
        Duration gateTimeout,
        Duration atMost,
        RunWorks works,
        Supplier<Optional<String>> trouble) {
    public WalkPlan {
        if (bake.isNegative() || gateTimeout.isNegative() || gateTimeout.isZero() || atMost.isNegative()) {
            throw new IllegalArgumentException(
                    "not a walk, bake=" + bake + ", gateTimeout=" + gateTimeout + ", atMost=" + atMost);
        }
    }
}
