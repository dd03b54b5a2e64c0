package io.anneal.migrate.page;

import io.anneal.dualdao.control.InstanceState;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MergedFacts;
import io.anneal.dualdao.stats.Mismatch;
import io.anneal.dualdao.stats.SideFailure;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Asks the phase store all that the page shows. Any thread may call; every call asks anew. */
final class SnapshotBuilder {
    private static final String KIND_DEFAULT = "dao";

    private final PhaseStore store;
    private final String name;
    private final PhaseControl control;
    private final boolean redactValues;

    SnapshotBuilder(PhaseStore store, String name, PhaseControl control, boolean redactValues) {
        this.store = store;
        this.name = name;
        this.control = control;
        this.redactValues = redactValues;
    }

    /** With nothing but the store's state: before it was ever reached. */
    Snapshot empty(long nowMillis, Snapshot.Store state) {
        return new Snapshot(
                name,
                nowMillis,
                state,
                null,
                null,
                List.of(),
                null,
                Map.of(),
                null,
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                redactValues);
    }

    /** The same, with the store in another state: what was known when it was last reached. */
    static Snapshot stale(Snapshot last, long nowMillis, Snapshot.Store state) {
        return new Snapshot(
                last.name(),
                nowMillis,
                state,
                last.record(),
                last.mode(),
                last.instances(),
                last.readiness(),
                last.counters(),
                last.fallbackLastHitAt(),
                last.dirty(),
                last.mismatches(),
                last.failures(),
                last.jobs(),
                last.events(),
                last.unreadable(),
                last.redacted());
    }

    /** Throws {@link io.anneal.dualdao.phase.PhaseStoreException} if the store can't be asked; empty if there is no record. */
    Optional<Snapshot> build(long nowMillis, Snapshot.Store state) {
        Optional<PhaseRecord> inForce = store.read(name);
        if (inForce.isEmpty()) {
            return Optional.empty();
        }
        List<PhaseRecord> history = store.history(name);
        List<PhaseNote> notes = store.notes(name);
        List<InstanceState> states = control.instances();
        MergedFacts merged =
                MergedFacts.of(states.stream().map(InstanceState::heartbeat).toList());
        Map<Long, String> phases = history.stream()
                .collect(Collectors.toMap(
                        PhaseRecord::version, each -> each.phase().label(), (first, second) -> second));
        boolean acknowledged = states.stream()
                .allMatch(instance -> !instance.serves() || instance.acknowledged() && !instance.silent());
        return Optional.of(new Snapshot(
                name,
                nowMillis,
                state,
                inForce(inForce.get(), acknowledged),
                mode(states),
                states.stream().map(instance -> instance(instance, phases)).toList(),
                step(control.readiness()),
                counters(merged),
                boxed(merged.fallbackLastHitMillis()),
                dirty(merged),
                merged.mismatches().stream().map(this::difference).toList(),
                merged.failures().stream().map(this::failure).toList(),
                states.stream()
                        .filter(instance -> !instance.serves())
                        .map(SnapshotBuilder::job)
                        .toList(),
                EventList.of(history, notes),
                merged.unreadable(),
                redactValues));
    }

    private static Snapshot.PhaseInForce inForce(PhaseRecord inForce, boolean acknowledged) {
        return new Snapshot.PhaseInForce(
                inForce.version(),
                inForce.phase().label(),
                inForce.readSharePercent(),
                inForce.highest().label(),
                inForce.who(),
                inForce.at().toEpochMilli(),
                inForce.why(),
                acknowledged);
    }

    /** The mode that all instances tell; several, parted by commas, if they do not agree. */
    private static String mode(List<InstanceState> states) {
        String modes = states.stream()
                .map(instance -> instance.heartbeat().facts().get(Facts.MODE))
                .filter(mode -> mode != null)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return modes.isEmpty() ? null : modes;
    }

    private static Snapshot.Instance instance(InstanceState instance, Map<Long, String> phases) {
        Heartbeat heartbeat = instance.heartbeat();
        Map<String, String> facts = heartbeat.facts();
        return new Snapshot.Instance(
                instance.name(),
                facts.getOrDefault(Facts.KIND, KIND_DEFAULT),
                instance.serves(),
                heartbeat.version(),
                phases.get(heartbeat.version()),
                instance.acknowledged(),
                heartbeat.drained(),
                instance.silentFor().toMillis(),
                instance.silent(),
                facts.get(Facts.HELD_UP),
                facts.get(Facts.HOST),
                facts.get(Facts.PID),
                number(facts, Facts.STARTED_MILLIS));
    }

    private static Snapshot.NextStep step(Readiness readiness) {
        return new Snapshot.NextStep(
                readiness.from().label(),
                readiness.to().label(),
                readiness.step(),
                readiness.ready(),
                readiness.gates().stream()
                        .map(gate -> new Snapshot.Condition(gate.name(), gate.met(), gate.evidence()))
                        .toList());
    }

    private static Map<String, Long> counters(MergedFacts merged) {
        Map<String, Long> sums = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            sums.put(counter.name().toLowerCase(Locale.ROOT), merged.sum(counter));
        }
        return sums;
    }

    private static Map<String, Long> dirty(MergedFacts merged) {
        Map<String, Long> keys = new TreeMap<>();
        putIfTold(keys, Side.TARGET, merged.sum(Facts.DIRTY_TARGET));
        putIfTold(keys, Side.ORIGIN, merged.sum(Facts.DIRTY_ORIGIN));
        return keys;
    }

    private static void putIfTold(Map<String, Long> keys, Side lacking, OptionalLong count) {
        count.ifPresent(told -> keys.put(lacking.name().toLowerCase(Locale.ROOT), told));
    }

    private Snapshot.Failure failure(SideFailure failure) {
        String cause = failure.cause();
        int message = cause.indexOf(':');
        return new Snapshot.Failure(
                failure.at().toEpochMilli(),
                failure.side().name().toLowerCase(Locale.ROOT),
                failure.operation(),
                failure.count(),
                redactValues && message > 0 ? cause.substring(0, message) : cause);
    }

    private Snapshot.Difference difference(Mismatch mismatch) {
        return new Snapshot.Difference(
                mismatch.at().toEpochMilli(),
                mismatch.operation(),
                redactValues ? null : mismatch.key(),
                mismatch.differences().stream()
                        .map(diff -> redactValues ? diff.redacted() : diff)
                        .map(diff -> new Snapshot.Field(diff.path(), diff.origin(), diff.target()))
                        .toList());
    }

    private static Snapshot.Job job(InstanceState instance) {
        Map<String, String> facts = instance.heartbeat().facts();
        Function<String, Long> fact = name -> number(facts, name);
        return new Snapshot.Job(
                instance.name(),
                facts.getOrDefault(Facts.KIND, KIND_DEFAULT),
                instance.heartbeat().at().toEpochMilli(),
                instance.silent(),
                fact.apply(Facts.STARTED_MILLIS),
                fact.apply(Facts.ROWS),
                fact.apply(Facts.BYTES),
                fact.apply(Facts.RANGES_DONE),
                fact.apply(Facts.RANGES_TOTAL),
                fact.apply(Facts.SECONDS_LEFT),
                fact.apply(Facts.MISMATCHES));
    }

    /** Null if it isn't told, or is no number: another version of an instance may say it otherwise. */
    private static Long number(Map<String, String> facts, String name) {
        String text = facts.get(name);
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
