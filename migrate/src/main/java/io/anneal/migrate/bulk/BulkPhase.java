package io.anneal.migrate.bulk;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import io.anneal.environment.HostEnvironment;
import io.anneal.migrate.bulk.BulkBuilder.PhasesOf;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A run as a part of a migration: whether it may begin and go on, its heartbeats, its note. Any thread. */
final class BulkPhase {
    private final PhasesOf phases;
    private final String kind;
    private final String instance;
    private final Consumer<BulkPhase> condition;
    private final HostEnvironment environment;

    private BulkPhase(PhasesOf phases, String kind, Consumer<BulkPhase> condition, HostEnvironment environment) {
        this.phases = phases;
        this.kind = kind;
        this.condition = condition;
        this.environment = environment;
        instance = kind + "-" + environment.newId();
    }

    /**
     * @param kind as {@link Facts#KIND} has it
     * @param condition what must hold as long as the run goes on: some of the methods here that begin with require
     */
    static Optional<BulkPhase> of(
            Optional<PhasesOf> phases, String kind, Consumer<BulkPhase> condition, HostEnvironment environment) {
        return phases.map(told -> new BulkPhase(told, kind, condition, environment));
    }

    /**
     * Asks whether the run may go on.
     *
     * @throws BulkRefusedException if it may not
     */
    void require() {
        condition.accept(this);
    }

    BulkStart start(long epoch) {
        WorkStart start = phases.control().begin();
        return new BulkStart(start.version(), start.at().toEpochMilli(), start.acknowledged(), epoch);
    }

    /** Version of the record since which both sides are written, 0 if they are not. */
    long epoch() {
        boolean testing = isTesting();
        long epoch = 0;
        for (PhaseRecord changed : phases.control().history()) {
            if (!writesBoth(changed.phase(), testing)) {
                epoch = 0;
            } else if (epoch == 0) {
                epoch = changed.version();
            }
        }
        return epoch;
    }

    private boolean isTesting() {
        return phases.control().instances().stream()
                .anyMatch(state ->
                        Mode.TEST.name().equals(state.heartbeat().facts().get(Facts.MODE)));
    }

    private static boolean writesBoth(Phase phase, boolean testing) {
        return phase.writes(Side.TARGET) && (testing || phase.writes(Side.ORIGIN));
    }

    /** What is copied while an instance does not write to both sides lacks what that one writes. */
    private void requireBothWritten() {
        PhaseRecord current = phases.control().current();
        if (!writesBoth(current.phase(), isTesting())) {
            throw new BulkRefusedException(
                    "both sides must be written while data is copied, as in phases 2 and 3, name="
                            + phases.control().name() + ", phase="
                            + current.phase().label());
        }
    }

    /** The target is made what the origin is only while the origin is right. */
    void requireOriginRight() {
        PhaseRecord current = phases.control().current();
        if (current.phase().authority() != Side.ORIGIN && !isTesting()) {
            throw new BulkRefusedException("target is right where the two sides differ, and is not to be changed, name="
                    + phases.control().name() + ", phase=" + current.phase().label());
        }
    }

    /** The record that a run began under is in force. */
    void requireVersion(long version) {
        PhaseRecord current = phases.control().current();
        if (current.version() != version) {
            throw new BulkRefusedException("phase was changed meanwhile, name="
                    + phases.control().name() + ", phase=" + current.phase().label() + ", version=" + current.version()
                    + ", begunUnder=" + version);
        }
    }

    /** What is old in the origin may be copied to the target. */
    void requireBackfill() {
        requireBothWritten();
        requireOriginRight();
    }

    void requireAcknowledged() {
        List<String> behind = phases.control().behind();
        if (!behind.isEmpty()) {
            throw new BulkRefusedException(
                    "instances have not acknowledged the phase, what they write would be missed, name="
                            + phases.control().name() + ", instances=" + behind);
        }
    }

    /** When the first back-fill began that still counts: all instances wrote to both sides then. */
    Optional<Instant> writtenBothSince() {
        long epoch = epoch();
        return epoch == 0
                ? Optional.empty()
                : phases.control().notes().stream()
                        .filter(note -> note.kind() == PhaseNote.Kind.BACKFILL && note.version() >= epoch)
                        .map(note -> note.facts().get(Facts.STARTED_MILLIS))
                        .filter(started -> started != null)
                        .map(started -> Instant.ofEpochMilli(Long.parseLong(started)))
                        .min(Instant::compareTo);
    }

    /** When the last back-fill ended that still counts. */
    Optional<Instant> backfilled() {
        long epoch = epoch();
        return phases.control().notes().stream()
                .filter(note -> note.kind() == PhaseNote.Kind.BACKFILL && epoch != 0 && note.version() >= epoch)
                .map(PhaseNote::at)
                .max(Instant::compareTo);
    }

    void beat(BulkProgress progress) {
        Map<String, String> facts = facts(progress);
        facts.put(Facts.KIND, kind);
        facts.put(Facts.RANGES_DONE, Integer.toString(progress.rangesDone()));
        facts.put(Facts.RANGES_TOTAL, Integer.toString(progress.rangesTotal()));
        progress.secondsLeft().ifPresent(left -> facts.put(Facts.SECONDS_LEFT, Long.toString(left)));
        phases.store()
                .heartbeat(
                        phases.control().name(),
                        new Heartbeat(
                                instance,
                                phases.control().current().version(),
                                true,
                                environment.clock().instant(),
                                facts));
    }

    private static Map<String, String> facts(BulkProgress progress) {
        Map<String, String> facts = new HashMap<>();
        facts.put(Facts.ROWS, Long.toString(progress.rows()));
        facts.put(Facts.BYTES, Long.toString(progress.bytes()));
        facts.put(Facts.MISMATCHES, Long.toString(progress.mismatches()));
        return facts;
    }

    void note(PhaseNote.Kind noteKind, BulkStart start, BulkProgress progress, Map<String, String> more) {
        Map<String, String> facts = facts(progress);
        facts.putAll(more);
        facts.put(Facts.STARTED_MILLIS, Long.toString(start.startedMillis()));
        phases.control()
                .finish(
                        new WorkStart(
                                start.version(), Instant.ofEpochMilli(start.startedMillis()), start.acknowledged()),
                        noteKind,
                        phases.who(),
                        facts);
    }

    void forget() {
        phases.store().forget(phases.control().name(), instance);
    }
}
