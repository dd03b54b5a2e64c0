package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Everything that gates look at, read at about one time: the record first, so that a change made on top of it fails if
 * anything of it changed since.
 */
record Situation(
        PhaseRecord current,
        List<PhaseRecord> history,
        List<PhaseNote> notes,
        List<InstanceState> instances,
        Instant now,
        ControlPolicy policy) {
    private static final int ALL_PERCENT = 100;

    List<InstanceState> serving() {
        return instances.stream().filter(InstanceState::serves).toList();
    }

    Optional<DualStretch> stretch() {
        return DualStretch.newest(history);
    }

    /** The version since which the target is right, of the last time that it became so. */
    long targetAuthorityVersion() {
        long version = Long.MAX_VALUE;
        Side previous = Side.ORIGIN;
        for (PhaseRecord next : history) {
            Side authority = next.phase().authority();
            version = authority == Side.TARGET && previous == Side.ORIGIN ? next.version() : version;
            previous = authority;
        }
        return version;
    }

    /** The phase before the one in force; empty if that is the first. */
    Optional<Phase> previousPhase() {
        Optional<Phase> previous = Optional.empty();
        for (PhaseRecord past : history) {
            previous = past.phase() == current.phase() ? previous : Optional.of(past.phase());
        }
        return previous;
    }

    /** Whether 3b was come to from 4: the target has been right without a break, and the origin may lack what was written there. */
    boolean wayBack() {
        return current.phase() == Phase.TARGET_FIRST
                && previousPhase()
                        .filter(previous -> !previous.writes(Side.ORIGIN))
                        .isPresent();
    }

    /**
     * The first of the records up to the one in force under which both sides were written and all reads went to the target; empty if
     * that is not so now.
     */
    Optional<PhaseRecord> targetReadSince() {
        Optional<PhaseRecord> since = Optional.empty();
        for (PhaseRecord past : history) {
            boolean counts = past.phase() == Phase.READ_TARGET && past.readSharePercent() == ALL_PERCENT
                    || past.phase() == Phase.TARGET_FIRST;
            since = !counts ? Optional.empty() : since.isPresent() ? since : Optional.of(past);
        }
        return since;
    }

    /** The note that ended the migration. */
    Optional<PhaseNote> finished() {
        return notes.stream()
                .filter(note -> note.kind() == PhaseNote.Kind.FINISHED && note.version() == current.version())
                .findFirst();
    }

    /** What the instances say of themselves; those that don't say are left out. */
    Set<String> said(String fact) {
        Set<String> said = new TreeSet<>();
        for (InstanceState instance : serving()) {
            String value = instance.heartbeat().facts().get(fact);
            if (value != null) {
                said.add(value);
            }
        }
        return said;
    }

    /** Whether all that are registered run in test mode; without any, the stricter rules hold. */
    boolean test() {
        return said(Facts.MODE).equals(Set.of(TestWalk.MODE));
    }

    /** Whether all that are registered say one of these. */
    boolean allSay(String fact, Set<String> values) {
        List<InstanceState> serving = serving();
        return !serving.isEmpty()
                && serving.stream()
                        .allMatch(instance ->
                                values.contains(instance.heartbeat().facts().getOrDefault(fact, "")));
    }
}
