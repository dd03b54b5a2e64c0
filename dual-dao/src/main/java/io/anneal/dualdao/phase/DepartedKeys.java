package io.anneal.dualdao.phase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys in journals of instances that are gone: nobody's heartbeat counts them, and yet one side may lack them. They count until
 * an instance opens the same journal again, or until everything was verified after the instance went.
 */
final class DepartedKeys {
    private static final List<String> KEPT = List.of(Facts.DIRTY_TARGET, Facts.DIRTY_ORIGIN, Facts.JOURNAL, Facts.MODE);

    private DepartedKeys() {}

    /** The facts of the note that an instance leaves; empty if its journal is empty, or nobody depends on it. */
    static Optional<Map<String, String>> left(String instance, Map<String, String> facts) {
        boolean clean = count(facts, Facts.DIRTY_TARGET) <= 0 && count(facts, Facts.DIRTY_ORIGIN) <= 0;
        return clean || TestWalk.MODE.equals(facts.get(Facts.MODE))
                ? Optional.empty()
                : Optional.of(about(instance, facts));
    }

    /** What a note tells of an instance that is gone. */
    static Map<String, String> about(String instance, Map<String, String> facts) {
        Map<String, String> about = new HashMap<>();
        about.put(Facts.INSTANCE, instance);
        for (String kept : KEPT) {
            if (facts.containsKey(kept)) {
                about.put(kept, facts.get(kept));
            }
        }
        return about;
    }

    /** Those who may have left keys that this side lacks, in words. */
    static List<String> outstanding(Situation situation, Side lacking) {
        Optional<DualStretch> stretch = situation.stretch();
        long sinceVersion = lacking == Side.TARGET
                ? stretch.map(known -> known.start().version()).orElse(Long.MAX_VALUE)
                : situation.targetAuthorityVersion();
        List<PhaseNote> notes = situation.notes();
        List<String> outstanding = new ArrayList<>();
        for (int i = 0; i < notes.size(); i++) {
            PhaseNote note = notes.get(i);
            if (note.version() >= sinceVersion
                    && lacks(note, lacking)
                    && !reopened(note, situation)
                    && !verifiedAfter(note, notes.subList(i + 1, notes.size()), stretch)) {
                outstanding.add(text(note, lacking));
            }
        }
        return outstanding;
    }

    private static boolean lacks(PhaseNote note, Side lacking) {
        return switch (note.kind()) {
            case INSTANCE_LEFT -> count(note.facts(), dirty(lacking)) > 0;
            // What it did after its last heartbeat is unknown.
            case INSTANCE_DEAD -> !TestWalk.MODE.equals(note.facts().get(Facts.MODE));
            default -> false;
        };
    }

    private static boolean reopened(PhaseNote note, Situation situation) {
        String journal = note.facts().get(Facts.JOURNAL);
        return journal != null
                && situation.serving().stream()
                        .anyMatch(instance ->
                                journal.equals(instance.heartbeat().facts().get(Facts.JOURNAL)));
    }

    private static boolean verifiedAfter(PhaseNote gone, List<PhaseNote> later, Optional<DualStretch> stretch) {
        return later.stream()
                .anyMatch(note -> note.kind() == PhaseNote.Kind.VERIFICATION
                        && stretch.isPresent()
                        && stretch.get().holds(note)
                        && Gates.clean(note)
                        && count(note.facts(), Facts.STARTED_MILLIS)
                                >= gone.at().toEpochMilli());
    }

    private static String text(PhaseNote note, Side lacking) {
        String how = note.kind() == PhaseNote.Kind.INSTANCE_DEAD ? "was declared dead" : "ended";
        long keys = count(note.facts(), dirty(lacking));
        return note.facts().getOrDefault(Facts.INSTANCE, note.who()) + " " + how + " at " + note.at()
                + (keys > 0 ? " with " + keys + " keys in its journal" : " with keys in its journal that nobody knows");
    }

    static String dirty(Side lacking) {
        return lacking == Side.TARGET ? Facts.DIRTY_TARGET : Facts.DIRTY_ORIGIN;
    }

    /** A counter, or -1 if it isn't there or no number. */
    static long count(Map<String, String> facts, String name) {
        String value = facts.get(name);
        try {
            return value == null ? -1 : Long.parseLong(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
