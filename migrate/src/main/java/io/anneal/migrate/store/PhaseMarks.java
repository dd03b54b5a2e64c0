package io.anneal.migrate.store;

import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.Optional;

/**
 * Marks in a target: one row for each version, so that an older one never replaces a newer one, written at the time of the write.
 * Were the version that time, a deletion would hide whatever is written after it.
 */
final class PhaseMarks {
    private PhaseMarks() {}

    /**
     * After a mark was written and read back.
     *
     * @throws PhaseStoreException if it did not take: the clock of whoever deleted it was ahead
     */
    static void requireTaken(String place, String name, PhaseMark.Seen written, Optional<PhaseMark.Seen> found) {
        if (found.isEmpty() || found.get().version() < written.version()) {
            throw new PhaseStoreException("mark of the phase in the target does not take, place=" + place + ", name="
                    + name + ", version=" + written.version()
                    + "; it was deleted by a clock that is ahead: wait until that time, or take another name");
        }
    }

    static PhaseMark.Seen seen(String place, String name, long version, String phase, String highest) {
        try {
            return new PhaseMark.Seen(version, Phase.of(phase), Phase.of(highest));
        } catch (IllegalArgumentException e) {
            throw new PhaseStoreException(
                    "mark of the phase in the target is none, place=" + place + ", name=" + name + ", reason="
                            + e.getMessage() + "; its table was changed by hand: restore it",
                    e);
        }
    }
}
