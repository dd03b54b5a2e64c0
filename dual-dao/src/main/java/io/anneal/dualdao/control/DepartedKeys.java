package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys in journals of instances that are gone: nobody's heartbeat counts them, and yet one side may lack them. They count until
 * an instance opens the same journal again, or until everything was verified after the instance went. What a {@link
 * ReturnedInstance} wrote is in no journal.
 */
final class DepartedKeys {
    private static final List<String> KEPT = List.of(
            Facts.DIRTY_TARGET,
            Facts.DIRTY_ORIGIN,
            Facts.JOURNAL,
            Facts.MODE,
            Facts.RUN,
            Facts.FALLBACK_LAST_HIT_MILLIS);

    private DepartedKeys() {}

    /**
     * The facts of the note that an instance leaves; empty if its journal is empty and none of its reads fell back since the last
     * change, or if nobody depends on it.
     */
    static Optional<Map<String, String>> left(String instance, Map<String, String> facts, PhaseRecord inForce) {
        boolean clean = Facts.number(facts, Facts.DIRTY_TARGET) <= 0
                && Facts.number(facts, Facts.DIRTY_ORIGIN) <= 0
                && Facts.number(facts, Facts.FALLBACK_LAST_HIT_MILLIS)
                        <= inForce.at().toEpochMilli();
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
        return outstanding(situation, lacking, sinceVersion);
    }

    /** Those who wrote the origin alone while others took the target for complete, in words. */
    static List<String> returned(Situation situation) {
        return outstanding(situation, Side.TARGET, Long.MAX_VALUE);
    }

    private static List<String> outstanding(Situation situation, Side lacking, long sinceVersion) {
        List<PhaseNote> notes = situation.notes();
        List<String> outstanding = new ArrayList<>();
        for (int i = 0; i < notes.size(); i++) {
            PhaseNote note = notes.get(i);
            // Nobody copied what a returned instance wrote, however long ago.
            boolean counts = note.version() >= sinceVersion || note.kind() == PhaseNote.Kind.INSTANCE_RETURNED;
            if (counts
                    && lacks(note, lacking)
                    && !reopened(note, situation)
                    && !verifiedAfter(note, notes.subList(i + 1, notes.size()), situation.stretch())) {
                outstanding.add(text(note, lacking));
            }
        }
        return outstanding;
    }

    private static boolean lacks(PhaseNote note, Side lacking) {
        return switch (note.kind()) {
            case INSTANCE_LEFT -> Facts.number(note.facts(), dirty(lacking)) > 0;
            // What it did after its last heartbeat is unknown.
            case INSTANCE_DEAD -> !TestWalk.MODE.equals(note.facts().get(Facts.MODE));
            case INSTANCE_RETURNED ->
                lacking == Side.TARGET && !TestWalk.MODE.equals(note.facts().get(Facts.MODE));
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
                        && note.clean()
                        && Facts.number(note.facts(), Facts.STARTED_MILLIS)
                                >= gone.at().toEpochMilli());
    }

    private static String text(PhaseNote note, Side lacking) {
        String who = note.facts().getOrDefault(Facts.INSTANCE, note.who());
        if (note.kind() == PhaseNote.Kind.INSTANCE_RETURNED) {
            return who + " was declared dead and wrote the origin alone until " + note.at()
                    + ": verify where both sides are written";
        }
        String how = note.kind() == PhaseNote.Kind.INSTANCE_DEAD ? "was declared dead" : "ended";
        long keys = Facts.number(note.facts(), dirty(lacking));
        return who + " " + how + " at " + note.at() + " with "
                + (keys > 0 ? keys + " keys in its journal" : "keys in its journal that nobody knows")
                + ": start it again with its directory, or verify";
    }

    static String dirty(Side lacking) {
        return lacking == Side.TARGET ? Facts.DIRTY_TARGET : Facts.DIRTY_ORIGIN;
    }
}
