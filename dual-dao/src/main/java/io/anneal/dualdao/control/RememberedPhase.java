package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The marks of an instance: compares a store with them at the start, keeps them up to date later. Owned by one thread at a
 * time.
 */
final class RememberedPhase {
    private static final Logger LOG = LoggerFactory.getLogger(RememberedPhase.class);

    private final String name;
    private final List<PhaseMark> marks;
    private final Map<PhaseMark, PhaseStoreException> unreadable = new HashMap<>();
    /** What each mark does not have yet. */
    private final Map<PhaseMark, PhaseMark.Seen> owed = new HashMap<>();

    private boolean owedForward;
    private long oldestVersion;

    RememberedPhase(String name, List<PhaseMark> marks) {
        this.name = name;
        this.marks = List.copyOf(marks);
    }

    /** Throws if the store lost its record, is older than a mark, or went another way. */
    void check(
            Optional<PhaseRecord> stored,
            Supplier<PhaseStoreException> ifNeverSeen,
            Supplier<List<PhaseRecord>> history) {
        unreadable.clear();
        Map<PhaseMark, PhaseMark.Seen> seen = new HashMap<>();
        for (PhaseMark mark : marks) {
            try {
                mark.read(name).ifPresent(memory -> seen.put(mark, memory));
            } catch (PhaseStoreException e) {
                unreadable.put(mark, e);
            }
        }
        oldestVersion =
                seen.values().stream().mapToLong(PhaseMark.Seen::version).min().orElse(0);
        PhaseRecord found = stored.orElseThrow(() -> seen.isEmpty() ? ifNeverSeen.get() : missing(seen));
        seen.forEach((mark, memory) -> compare(mark, memory, found, history));
        for (Map.Entry<PhaseMark, PhaseStoreException> unread : unreadable.entrySet()) {
            if (seen.isEmpty()) {
                throw new PhaseStoreException(
                        "no memory of the phase can be read, so that an older store would not be told, name=" + name
                                + ", mark=" + unread.getKey() + ", reason="
                                + unread.getValue().getMessage(),
                        unread.getValue());
            }
            LOG.error(
                    "memory of the phase can't be read, another one fits, name={}, mark={}",
                    name,
                    unread.getKey(),
                    unread.getValue());
        }
    }

    private PhaseStoreException missing(Map<PhaseMark, PhaseMark.Seen> seen) {
        PhaseMark mark = seen.keySet().iterator().next();
        return new PhaseStoreException("phase record is missing, but the phase was seen before" + LostRecord.WAY_OUT
                + ", name=" + name + ", seen=" + text(seen.get(mark)) + ", mark=" + mark);
    }

    private void compare(
            PhaseMark mark, PhaseMark.Seen memory, PhaseRecord found, Supplier<List<PhaseRecord>> history) {
        String facts = ", name=" + name + ", found=" + text(found.seen()) + ", seen=" + text(memory) + ", mark=" + mark;
        if (found.version() < memory.version()) {
            throw new PhaseStoreException("phase store is older than what was seen" + LostRecord.WAY_OUT + facts);
        }
        if (found.highest().compareTo(memory.highest()) < 0) {
            throw new PhaseStoreException("phase store does not know how far the migration went" + facts);
        }
        boolean same = history.get().stream().anyMatch(past -> past.mayBe(memory));
        if (!same) {
            throw new PhaseStoreException("phase store has another history than what was seen" + facts);
        }
    }

    /**
     * What the mark that is furthest behind remembered when it was checked, 0 without any: the mark that is the instance's own, since
     * those in the target are everybody's.
     */
    long oldestVersion() {
        return oldestVersion;
    }

    /** Remembers at the start; one mark at least must take it, if there are any. */
    void rememberOrRefuse(PhaseRecord taken) {
        remember(taken, false);
        if (!marks.isEmpty() && owed.size() == marks.size()) {
            throw new PhaseStoreException("phase can't be remembered, name=" + name + ", mark=" + marks.get(0));
        }
    }

    void remember(PhaseRecord taken, boolean forward) {
        owedForward = forward;
        for (PhaseMark mark : marks) {
            owed.put(mark, taken.seen());
        }
        write();
    }

    private void write() {
        for (PhaseMark mark : new ArrayList<>(owed.keySet())) {
            try {
                mark.remember(name, owed.get(mark));
                owed.remove(mark);
            } catch (PhaseStoreException e) {
                LOG.warn("phase can't be remembered, name={}, mark={}, reason={}", name, mark, e.getMessage());
            }
        }
    }

    /**
     * Tries again what could not be remembered; says what holds up the acknowledgement: that no mark at all took a step
     * forward. A target that is down must not keep anybody from going back.
     */
    Optional<String> missing() {
        write();
        return marks.isEmpty() || owed.size() < marks.size() || !owedForward
                ? Optional.empty()
                : Optional.of("phase can't be remembered, mark=" + marks.get(0));
    }

    private static String text(PhaseMark.Seen seen) {
        return "version " + seen.version() + " phase " + seen.phase().label() + " highest "
                + seen.highest().label();
    }
}
