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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Asks the phase store all that the page shows. Not for several threads; every call asks anew. */
final class SnapshotBuilder {
    private static final String KIND_DEFAULT = "dao";
    private static final int EVENTS_MAX = 500;

    /** A side fails for so long after its last failure, by the clock of the instance that saw it. */
    private static final Duration FAILING = Duration.ofMinutes(1);

    /** What is told of a back-fill or a verification under way. */
    private static final Set<String> OF_JOBS = Set.of(
            Facts.STARTED_MILLIS,
            Facts.ROWS,
            Facts.BYTES,
            Facts.RANGES_DONE,
            Facts.RANGES_TOTAL,
            Facts.SECONDS_LEFT,
            Facts.MISMATCHES);

    private final PhaseStore store;
    private final String name;
    private final PhaseControl control;
    private final boolean redactValues;
    private final ChartFeed feed;
    private final Incidents incidents;

    SnapshotBuilder(
            PhaseStore store,
            String name,
            PhaseControl control,
            boolean redactValues,
            ChartFeed feed,
            Incidents incidents) {
        this.store = store;
        this.name = name;
        this.control = control;
        this.redactValues = redactValues;
        this.feed = feed;
        this.incidents = incidents;
    }

    /** Throws {@link io.anneal.dualdao.phase.PhaseStoreException} if the store can't be asked; empty if there is no record. */
    Optional<Snapshot.Known> build(long nowMillis) {
        Optional<PhaseRecord> inForce = store.read(name);
        if (inForce.isEmpty()) {
            return Optional.empty();
        }
        List<PhaseRecord> history = store.history(name);
        List<InstanceState> states = control.instances();
        MergedFacts merged =
                MergedFacts.of(states.stream().map(InstanceState::heartbeat).toList());
        Map<Long, String> phases = history.stream()
                .collect(Collectors.toMap(
                        PhaseRecord::version, each -> each.phase().label(), (first, second) -> second));
        boolean acknowledged = states.stream()
                .allMatch(instance -> !instance.serves() || instance.acknowledged() && !instance.silent());
        Map<String, Snapshot.Failing> failing = failing(states, nowMillis);
        noteInstances(states, nowMillis);
        incidents.isOver(Incidents.STORE, "unreachable", nowMillis);
        List<Snapshot.Event> events = events(history, store.notes(name));
        return Optional.of(new Snapshot.Known(
                inForce(inForce.get(), acknowledged),
                mode(states),
                states.stream()
                        .map(instance -> instance(instance, phases, nowMillis))
                        .toList(),
                step(control.readiness()),
                counters(merged),
                dirty(merged),
                failing,
                merged.mismatches().stream().map(this::trouble).toList(),
                merged.failures().stream().map(this::trouble).toList(),
                states.stream()
                        .filter(instance -> !instance.serves())
                        .map(SnapshotBuilder::job)
                        .toList(),
                events.stream()
                        .filter(event -> event.kind().equals("verification"))
                        .reduce((first, last) -> last)
                        .orElse(null),
                events.subList(Math.max(0, events.size() - EVENTS_MAX), events.size()),
                merged.unreadable()));
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

    private Map<String, Snapshot.Failing> failing(List<InstanceState> states, long nowMillis) {
        Map<String, Snapshot.Failing> failing = new TreeMap<>();
        for (Side side : Side.values()) {
            List<SideFailure> last = states.stream()
                    .filter(state -> !state.silent())
                    .map(state -> lastFailure(state.heartbeat(), side))
                    .flatMap(Optional::stream)
                    .sorted(Comparator.comparing(SideFailure::at))
                    .toList();
            if (last.isEmpty()) {
                incidents.isOver(lower(side), "failing", nowMillis);
            } else {
                Snapshot.Trouble newest = trouble(last.get(last.size() - 1));
                incidents.goesOn(lower(side), "failing", nowMillis, newest.operation() + ": " + newest.cause());
                long since = incidents.since(lower(side), "failing").orElse(nowMillis);
                failing.put(lower(side), new Snapshot.Failing(since, last.size(), newest));
            }
        }
        return failing;
    }

    private static Optional<SideFailure> lastFailure(Heartbeat heartbeat, Side side) {
        return MergedFacts.failures(heartbeat).stream()
                .filter(failure -> failure.side() == side
                        && Duration.between(failure.at(), heartbeat.at()).compareTo(FAILING) < 0)
                .max(Comparator.comparing(SideFailure::at));
    }

    private void noteInstances(List<InstanceState> states, long nowMillis) {
        for (InstanceState state : states) {
            if (state.serves() && state.silent()) {
                ChartFeed.Seen seen = feed.seen(state.heartbeat(), nowMillis);
                incidents.goesOn(state.name(), "silent", seen.heardMillis(), null);
            } else {
                incidents.isOver(state.name(), "silent", nowMillis);
            }
        }
        incidents.forgetOthers(
                "silent", states.stream().map(InstanceState::name).collect(Collectors.toSet()));
    }

    private Snapshot.Instance instance(InstanceState instance, Map<Long, String> phases, long nowMillis) {
        Heartbeat heartbeat = instance.heartbeat();
        Map<String, String> facts = heartbeat.facts();
        ChartFeed.Seen seen = feed.seen(heartbeat, nowMillis);
        Map<String, Point.Latency> latencies = new TreeMap<>();
        for (Side side : Side.values()) {
            Point.Latency reads = seen.latency("read", side);
            if (reads != null) {
                latencies.put(lower(side), reads);
            }
        }
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
                nowMillis - seen.heardMillis(),
                !seen.fresh(nowMillis),
                seen.rates(),
                latencies,
                dirty(seen.facts()),
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
                readiness.gates());
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
        count.ifPresent(told -> keys.put(lower(lacking), told));
    }

    private Snapshot.Trouble trouble(SideFailure failure) {
        SideFailure shown = redactValues ? failure.redacted() : failure;
        return new Snapshot.Trouble(
                shown.first().toEpochMilli(),
                shown.at().toEpochMilli(),
                shown.count(),
                shown.cause(),
                shown.operation(),
                lower(shown.side()),
                null,
                List.of());
    }

    private Snapshot.Trouble trouble(Mismatch mismatch) {
        return new Snapshot.Trouble(
                mismatch.first().toEpochMilli(),
                mismatch.at().toEpochMilli(),
                mismatch.count(),
                mismatch.cause(),
                mismatch.operation(),
                null,
                redactValues ? null : mismatch.key(),
                mismatch.differences().stream()
                        .map(diff -> redactValues ? diff.redacted() : diff)
                        .toList());
    }

    private static Snapshot.Job job(InstanceState instance) {
        Map<String, String> facts = new TreeMap<>(instance.heartbeat().facts());
        String kind = facts.getOrDefault(Facts.KIND, KIND_DEFAULT);
        facts.keySet().retainAll(OF_JOBS);
        return new Snapshot.Job(
                instance.name(), kind, instance.heartbeat().at().toEpochMilli(), instance.silent(), facts);
    }

    /** The history of phases, the notes and the incidents as one story, oldest first. */
    private List<Snapshot.Event> events(List<PhaseRecord> history, List<PhaseNote> notes) {
        List<Snapshot.Event> events = new ArrayList<>(incidents.all());
        PhaseRecord before = null;
        for (PhaseRecord next : history) {
            events.add(change(before == null ? next : before, next));
            before = next;
        }
        for (PhaseNote note : notes) {
            events.add(new Snapshot.Event(
                    note.at().toEpochMilli(),
                    note.kind().name().toLowerCase(Locale.ROOT),
                    note.who(),
                    note.version(),
                    note.facts()));
        }
        events.sort(Comparator.comparingLong(Snapshot.Event::at));
        return events;
    }

    private static Snapshot.Event change(PhaseRecord before, PhaseRecord next) {
        Map<String, String> facts = Map.of(
                "from", before.phase().label(),
                "to", next.phase().label(),
                "readShare", Integer.toString(next.readSharePercent()),
                "text", next.why());
        int steps = next.phase().compareTo(before.phase());
        String kind = before == next ? "created" : steps > 0 ? "phase" : steps < 0 ? "back" : "share";
        return new Snapshot.Event(next.at().toEpochMilli(), kind, next.who(), next.version(), facts);
    }

    private static String lower(Side side) {
        return side.name().toLowerCase(Locale.ROOT);
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
}
