package io.anneal.migrate;

import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.migrate.load.HistoryVerdict;
import java.util.List;
import java.util.Optional;

/**
 * How a run went.
 *
 * @param last the record in force at the end
 * @param walk empty if it only followed
 * @param verdict of the check of all operations; empty without load
 * @param failed operations that failed, as clients saw it
 */
public record RunResult(
        PhaseRecord last,
        Optional<WalkResult> walk,
        List<PhaseStretch> stretches,
        Optional<HistoryVerdict> verdict,
        long failed) {
    public RunResult {
        stretches = List.copyOf(stretches);
    }

    /** Whether no operation was lost, resurrected or stale. */
    public boolean clean() {
        return verdict.map(HistoryVerdict::clean).orElse(true);
    }

    /** Whether a walk came to its end. */
    public boolean completed() {
        return walk.map(done -> done.outcome() == WalkResult.Outcome.COMPLETED).orElse(true);
    }
}
