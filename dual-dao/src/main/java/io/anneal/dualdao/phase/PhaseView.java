package io.anneal.dualdao.phase;

import java.util.concurrent.atomic.LongAdder;

/**
 * A phase record as operations hold it: each takes one when it begins and acts by it to its end, whatever changes meanwhile. Counts
 * who is inside, so that an instance can say when nobody acts by an earlier record any more. Any thread may call; allocates
 * nothing.
 */
public final class PhaseView {
    private final PhaseRecord phaseRecord;
    private final LongAdder entered = new LongAdder();
    private final LongAdder left = new LongAdder();

    public PhaseView(PhaseRecord phaseRecord) {
        this.phaseRecord = phaseRecord;
    }

    public PhaseRecord record() {
        return phaseRecord;
    }

    public Phase phase() {
        return phaseRecord.phase();
    }

    /** Counts an operation in; whoever does must then make sure that this view is still in force, or leave. */
    public void enter() {
        entered.increment();
    }

    /** Counts one operation more in; only whoever is inside may call. */
    public void enterAgain() {
        enter();
    }

    /** Ends what {@link PhaseSource#enter} began; on any thread, exactly once. */
    public void leave() {
        left.increment();
    }

    /**
     * Whether nobody is inside, of a view that is not in force any more. Both counts only grow, and those who left are counted
     * first: equal sums mean that at the moment between the two nobody was inside.
     */
    public boolean drained() {
        long gone = left.sum();
        return entered.sum() == gone;
    }
}
