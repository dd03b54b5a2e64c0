package io.anneal.migrate.store;

import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;

/** Marks as they are read back. */
final class PhaseMarks {
    private PhaseMarks() {}

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
