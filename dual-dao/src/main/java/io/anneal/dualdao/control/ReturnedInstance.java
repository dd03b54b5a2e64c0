package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What an instance owes to the others when it was declared dead and was not: in phase 1 it wrote the origin alone, journaled
 * nothing, and they took the target for complete meanwhile. It says so before it acknowledges, and everything has to be
 * verified anew. Phases that write both sides, or that journal what one side lacks, leave nothing to own up to. Owned by one
 * thread at a time.
 */
final class ReturnedInstance {
    private final PhaseStore store;
    private final String name;
    private final String instance;
    private final Supplier<Map<String, String>> facts;
    private final InstantSource clock;

    private boolean wroteOriginAlone;

    ReturnedInstance(
            PhaseStore store, String name, String instance, Supplier<Map<String, String>> facts, InstantSource clock) {
        this.store = store;
        this.name = name;
        this.instance = instance;
        this.facts = facts;
        this.clock = clock;
    }

    /** The instance takes up another record than this one. */
    void leaves(PhaseRecord before) {
        wroteOriginAlone |= before.phase() == Phase.ORIGIN_ONLY;
    }

    /** To be called when nothing of an earlier record is under way, and before the acknowledgement. */
    void ownUp(PhaseRecord inForce, long acknowledgedVersion, String run) {
        if (!wroteOriginAlone) {
            return;
        }
        if (inForce.version() > acknowledgedVersion + 1 || declaredDead(Facts.RUN, run, 0)) {
            note(inForce);
        }
        wroteOriginAlone = false;
    }

    /**
     * The same for an earlier run with the same journal, which is gone: if it was declared dead, nobody knows for how long it went
     * on.
     *
     * @param remembered the version by which it acted last, 0 if nobody knows
     */
    void ownUpForEarlierRun(PhaseRecord inForce, long remembered) {
        String journal = facts.get().get(Facts.JOURNAL);
        if (journal == null || remembered == 0 || remembered >= inForce.version()) {
            return;
        }
        boolean originAlone = store.history(name).stream()
                .anyMatch(past -> past.version() == remembered && past.phase() == Phase.ORIGIN_ONLY);
        if (originAlone && declaredDead(Facts.JOURNAL, journal, remembered)) {
            note(inForce);
        }
    }

    private boolean declaredDead(String fact, String value, long sinceVersion) {
        return store.notes(name).stream()
                .anyMatch(note -> note.kind() == PhaseNote.Kind.INSTANCE_DEAD
                        && note.version() >= sinceVersion
                        && instance.equals(note.facts().get(Facts.INSTANCE))
                        // Of a heartbeat that could not be read nothing else is known.
                        && value.equals(note.facts().getOrDefault(fact, value)));
    }

    private void note(PhaseRecord inForce) {
        if (inForce.phase() == Phase.ORIGIN_ONLY) {
            return;
        }
        Map<String, String> about = DepartedKeys.about(instance, facts.get());
        about.remove(Facts.JOURNAL);
        store.addNote(
                name,
                new PhaseNote(clock.instant(), inForce.version(), instance, PhaseNote.Kind.INSTANCE_RETURNED, about));
    }
}
