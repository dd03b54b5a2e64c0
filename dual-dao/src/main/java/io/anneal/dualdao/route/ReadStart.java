package io.anneal.dualdao.route;

import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.KeyHash;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;

/** Where a read begins. */
final class ReadStart {
    private static final int ALL_PERCENT = 100;

    private final DirtyKeys dirty;
    private final boolean originAlone;
    private final Transactions<?> transactions;

    ReadStart(DualEngine<?> engine) {
        dirty = engine.dirty;
        transactions = engine.transactions;
        originAlone = engine.config.writePolicy == WritePolicy.ORIGIN_THEN_JOURNAL;
    }

    /**
     * The target from phase 3 on; but the origin for keys outside the share, and, if the origin may have acknowledged a write
     * alone, for those that the target may lack. (If it may not, their write failed, and either side may answer; the origin must
     * not, since other instances may be in 4 already and write the target alone.) A read of several keys goes by the share of the first.
     * A transaction reads the side that it writes, which alone has what it wrote, and the locks that it may ask for.
     */
    Side of(PhaseRecord inForce, Keys keys) {
        Phase phase = inForce.phase();
        if (!phase.readsTarget()) {
            return Side.ORIGIN;
        }
        if (phase == Phase.READ_TARGET
                && (!inShare(inForce.readSharePercent(), keys) || transactions.current() != null)) {
            return Side.ORIGIN;
        }
        return originAlone && phase == Phase.READ_TARGET && lacks(Side.TARGET, keys) ? Side.ORIGIN : Side.TARGET;
    }

    private static boolean inShare(int percent, Keys keys) {
        return percent == ALL_PERCENT
                || !keys.none() && KeyHash.inShare(keys.texts().get(0), percent);
    }

    /** Whether a side may lack one of the keys; of a read of everything, whether it lacks any. */
    boolean lacks(Side side, Keys keys) {
        return keys.none() ? dirty.size(side) > 0 : dirty.lacksAny(side, keys.texts());
    }
}
