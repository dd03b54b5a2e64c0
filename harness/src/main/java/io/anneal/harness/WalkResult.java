package io.anneal.harness;

import io.anneal.dualdao.phase.PhaseRecord;

/**
 * How a walk ended.
 *
 * @param last the record in force at the end
 * @param reason why it did not come through, empty if it did
 */
public record WalkResult(Outcome outcome, PhaseRecord last, String reason) {
    /** The ends of a walk. */
    public enum Outcome {
        /** In phase 5. */
        COMPLETED,
        /** Back in phase 1. */
        ROLLED_BACK,
        /** Stopped on the way: could not go back all of it, or somebody else changed the phase. */
        STUCK
    }
}
