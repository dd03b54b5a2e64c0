package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.Optional;

/**
 * The newest stretch of records in which both sides are written. Only a back-fill or a verification that began in it, when
 * all instances wrote both sides, says anything of the target: before, and since the writes to one side stopped, the
 * sides go apart.
 *
 * @param start the first record of the stretch
 * @param before the phase from which it was entered
 * @param end the first record after it, if it is over
 * @param first whether the target was never written before it
 */
record DualStretch(PhaseRecord start, Phase before, Optional<PhaseRecord> end, boolean first) {
    static Optional<DualStretch> newest(List<PhaseRecord> history) {
        DualStretch newest = null;
        PhaseRecord previous = null;
        boolean written = false;
        for (PhaseRecord next : history) {
            boolean wasDual = previous != null && dual(previous.phase());
            if (dual(next.phase()) && !wasDual) {
                newest = new DualStretch(
                        next, previous == null ? Phase.ORIGIN_ONLY : previous.phase(), Optional.empty(), !written);
            } else if (wasDual && !dual(next.phase())) {
                newest = new DualStretch(newest.start, newest.before, Optional.of(next), newest.first);
            }
            written |= next.phase().writes(Side.TARGET);
            previous = next;
        }
        return Optional.ofNullable(newest);
    }

    private static boolean dual(Phase phase) {
        return phase.writes(Side.ORIGIN) && phase.writes(Side.TARGET);
    }

    /** Whether the target holds values that became old while the origin alone was written, which no fallback passes by. */
    boolean leftBehind() {
        return !first && before == Phase.ORIGIN_ONLY;
    }

    /** Whether work that is not over yet began after all wrote both sides, and nobody stopped. */
    boolean counts(WorkStart begun) {
        return end.isEmpty() && begun.acknowledged() && begun.version() >= start.version();
    }

    /** Whether work under this note began after all wrote both sides, and ended before anybody stopped. */
    boolean holds(PhaseNote note) {
        boolean begun = note.version() > start.version()
                || note.version() == start.version()
                        && Boolean.parseBoolean(note.facts().get(Facts.ACKNOWLEDGED));
        boolean over = end.isPresent()
                && (note.version() >= end.get().version()
                        || note.at().isAfter(end.get().at()));
        return begun && !over;
    }
}
