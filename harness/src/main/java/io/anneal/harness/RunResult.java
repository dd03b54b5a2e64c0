package io.anneal.harness;

import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.load.HistoryVerdict;
import java.util.List;
import java.util.Optional;

/**
 * How a run went.
 *
 * @param last the record in force at the end
 * @param walk empty if it only followed
 * @param verdict of the check of all operations; empty without load
 * @param unread keys that could not be read at last, of which the verdict says nothing
 * @param failed operations that failed, as clients saw it
 */
public record RunResult(
        PhaseRecord last,
        Optional<WalkResult> walk,
        List<PhaseStretch> stretches,
        Optional<HistoryVerdict> verdict,
        int unread,
        long failed) {
    public RunResult {
        stretches = List.copyOf(stretches);
    }

    /** Whether every key was read at last, and no operation was lost, resurrected or stale. */
    public boolean clean() {
        return unread == 0 && verdict.map(HistoryVerdict::clean).orElse(true);
    }

    /** Whether a walk came to its end. */
    public boolean completed() {
        return walk.map(done -> done.outcome() == WalkResult.Outcome.COMPLETED).orElse(true);
    }
}
