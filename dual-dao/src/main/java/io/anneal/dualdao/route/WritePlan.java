package io.anneal.dualdao.route;

import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;

/**
 * What a write does in a phase.
 *
 * @param first the side that is right, and whose answer is the write's
 * @param second whether the other side is written too, after the first
 * @param copies whether the other side gets a copy of the key instead of the call
 * @param remembers whether the keys go into the journal for good, before anything else
 * @param tolerates whether the caller is answered although the other side failed
 */
record WritePlan(Side first, boolean second, boolean copies, boolean remembers, boolean tolerates) {
    static WritePlan of(OperationKind kind, PhaseRecord inForce, WritePolicy policy, boolean rememberWrites) {
        Phase phase = inForce.phase();
        boolean second = phase.writes(Side.ORIGIN) && phase.writes(Side.TARGET);
        return new WritePlan(
                phase.authority(),
                second,
                second && kind.decides(),
                !phase.writes(Side.ORIGIN) && rememberWrites,
                tolerates(policy, inForce));
    }

    /**
     * Whether the origin may acknowledge a write alone. Not once all reads begin at the target: from there a step leads to where
     * the target is right, and what was acknowledged must be in it by then.
     */
    static boolean tolerates(WritePolicy policy, PhaseRecord inForce) {
        boolean originMayStandAlone = inForce.phase() == Phase.WRITE_BOTH
                || inForce.phase() == Phase.READ_TARGET && inForce.readSharePercent() < 100;
        return policy == WritePolicy.ORIGIN_THEN_JOURNAL && originMayStandAlone;
    }

    /** The side that may lack a key if anything goes wrong. */
    Side lacking() {
        return first.other();
    }
}
