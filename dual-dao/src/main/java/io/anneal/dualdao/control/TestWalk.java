package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import java.util.List;
import java.util.Map;

/**
 * Tells whether phases were walked in test mode, where a step asks for acknowledgements alone. Such a walk proves nothing of the
 * target: an instance that then took the phase for one of a migration would read a target that lacks half. So each such
 * step is noted before it is made, and counts until phase 1.
 */
final class TestWalk {
    static final String MODE = "TEST";

    private TestWalk() {}

    static boolean under(List<PhaseRecord> history, List<PhaseNote> notes) {
        long lastOriginOnly = 0;
        for (PhaseRecord past : history) {
            lastOriginOnly = past.phase() == Phase.ORIGIN_ONLY ? past.version() : lastOriginOnly;
        }
        if (history.isEmpty()
                || lastOriginOnly == history.get(history.size() - 1).version()) {
            return false;
        }
        long begun = lastOriginOnly;
        return notes.stream()
                .anyMatch(note -> note.kind() == PhaseNote.Kind.TEXT
                        && note.version() >= begun
                        && MODE.equals(note.facts().get(Facts.MODE)));
    }

    static Map<String, String> facts(String step) {
        return Map.of(Facts.MODE, MODE, Facts.TEXT, "step " + step + " in test mode, only acknowledgements count");
    }
}
