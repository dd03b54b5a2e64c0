package io.anneal.migrate;

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
 * @param backfill brings to the target what was there before phase 2
 * @param verification compares both sides
 * @param reverse from 4 or 5 back to a phase in which the origin is complete again, step by step
 * @param trouble why to turn back, asked again and again; empty while all is well
 */
public record WalkPlan(
        String who,
        Duration bake,
        Duration gateTimeout,
        Duration atMost,
        WalkWork backfill,
        WalkWork verification,
        WalkWork reverse,
        Supplier<Optional<String>> trouble) {
    public WalkPlan {
        if (bake.isNegative() || gateTimeout.isNegative() || gateTimeout.isZero() || atMost.isNegative()) {
            throw new IllegalArgumentException(
                    "not a walk, bake=" + bake + ", gateTimeout=" + gateTimeout + ", atMost=" + atMost);
        }
    }
}
