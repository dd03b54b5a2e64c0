package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Changes the phase of one migration when the gates of the step are met, and tells how things stand. Holds no state of its own:
 * several may be used at once, in instances, commands and pages; of changes at the same time one wins.
 *
 * <p>Every change, of the share too, waits for all registered instances to acknowledge the record in force; so no two are ever more
 * than one change apart. The steps:
 *
 * <pre>
 * 1 to 2   instances
 * 2 to 3   instances, backfill, verification after it, dirty-target; of instances that all say partitions are whole or
 *          merged only instances, dirty-target, unless the target was written before, and the origin alone after that
 * 3 to 3b  instances, share, dirty-target, verification, quiet
 * 3b to 4  instances, dirty-target, dirty-origin, verification; who came from 4 and turns again: instances, dirty-target
 * 4 to 5   instances, returned
 * 2 to 1, 3 to 2   instances
 * 3b to 3  instances, dirty-origin; who came from 4 the reverse back-fill too
 * 4, 5     back by the reverse walk alone: 5 to 4, 4 to 3b
 * </pre>
 *
 * A back-fill or verification counts if it began when all instances wrote both sides, and if both were written ever since. The
 * verification that opens 3b and 4 began when all reads went to the target, too, and is not older than {@link
 * ControlPolicy#verifiedWithin}: in 4 there is no origin any more for what the target lacks. In
 * test mode, where the origin has and answers everything, instances alone count. Two modes in one migration are a gate that
 * nobody forces, as is a walk in test mode that is continued in the other.
 *
 * <p>Any thread may call; every method asks the store, and throws {@link PhaseStoreException} if that fails.
 */
public final class PhaseControl {
    private static final Duration ASK_EVERY = Duration.ofMillis(100);
    private static final Duration POLL_UNSAID = Duration.ofSeconds(1);
    private static final Duration POLL_SPARE = Duration.ofMillis(500);
    private static final Set<PhaseNote.Kind> WORK =
            Set.of(PhaseNote.Kind.BACKFILL, PhaseNote.Kind.VERIFICATION, PhaseNote.Kind.REVERSE_BACKFILL);

    /** Waits. */
    @FunctionalInterface
    public interface Sleeper {
        /** On the calling thread, in the machine's time. */
        Sleeper THREAD = duration -> Thread.sleep(duration.toMillis());

        void sleep(Duration duration) throws InterruptedException;
    }

    private final PhaseStore store;
    private final String name;
    private final InstantSource clock;
    private final ControlPolicy policy;

    private PhaseControl(PhaseStore store, String name, InstantSource clock, ControlPolicy policy) {
        this.store = store;
        this.name = name;
        this.clock = clock;
        this.policy = policy;
    }

    /** The control of the migration of that name, which need not have begun. The store stays the caller's to close. */
    public static PhaseControl of(PhaseStore store, String name, InstantSource clock, ControlPolicy policy) {
        Objects.requireNonNull(store, "store");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(policy, "policy");
        return new PhaseControl(store, name, clock, policy);
    }

    public String name() {
        return name;
    }

    public ControlPolicy policy() {
        return policy;
    }

    /**
     * The record in force.
     *
     * @throws PhaseStoreException if there is none, too
     */
    public PhaseRecord current() {
        return store.read(name).orElseThrow(() -> LostRecord.missing(store, name));
    }

    /**
     * Begins the migration, in phase 1.
     *
     * @param marks that may show that it was begun before, as those beside instances and in the target
     * @throws IllegalArgumentException if the name is empty, too long or more than a line
     * @throws IllegalStateException if it was begun before
     * @throws PhaseStoreException if its record is lost: heartbeats, notes or marks show that there was one
     */
    public PhaseRecord create(String who, String why, PhaseMark... marks) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(marks, "marks");
        GivenText.requireName(name);
        if (store.read(name).isEmpty() && LostRecord.traces(store, name).isPresent()) {
            throw LostRecord.missing(store, name);
        }
        for (PhaseMark mark : marks) {
            mark.read(name).ifPresent(seen -> {
                throw new PhaseStoreException("phase was seen before" + LostRecord.WAY_OUT + ", name=" + name
                        + ", seen=" + seen + ", mark=" + mark);
            });
        }
        PhaseRecord first = PhaseRecord.first(who, clock.instant(), why);
        store.create(name, first);
        return first;
    }

    /** All registered instances, those that copy or verify too. */
    public List<InstanceState> instances() {
        return situation().instances();
    }

    /** Whether every instance acts by the record in force alone; true if there is none. */
    public boolean acknowledged() {
        return situation().instances().stream().allMatch(InstanceState::acknowledged);
    }

    /** The instances that do not act by the record in force alone yet, by name. */
    public List<String> behind() {
        return situation().instances().stream()
                .filter(state -> state.serves() && !state.acknowledged())
                .map(InstanceState::name)
                .toList();
    }

    /**
     * Whether the phase is 3b and was come to from 4: the origin may lack what was written there, and a reverse back-fill has to
     * bring it before 3.
     */
    public boolean onTheWayBack() {
        return situation().wayBack();
    }

    /** Whether a reverse back-fill has shown, under the record in force, that the origin has again what was written since 4. */
    public boolean originIsWhole() {
        return new Gates(situation()).reverseBackfill().met();
    }

    /** The next step forward, with all its gates. In phase 5 a step to nowhere, with one gate that is not met. */
    public Readiness readiness() {
        return Steps.forward(situation());
    }

    /** The next step back, with all its gates. */
    public Readiness rollbackReadiness() {
        return Steps.back(situation());
    }

    /** The same as {@link #advance(String, String, boolean)} without force. */
    public PhaseRecord advance(String who, String why) {
        return advance(who, why, false);
    }

    /**
     * Makes the next step forward.
     *
     * @param force whether gates that are {@link Gate#forceable} are passed unmet; the record says which
     * @return the record now in force
     * @throws GateException if a gate is not met
     * @throws PhaseChangedException if somebody else changed the phase at the same time
     */
    public PhaseRecord advance(String who, String why, boolean force) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Situation situation = situation();
        Readiness readiness = Steps.forward(situation);
        List<Gate> missing = readiness.missing();
        if (!missing.isEmpty() && !(force && missing.stream().allMatch(Gate::forceable))) {
            throw new GateException(readiness);
        }
        String reason = missing.isEmpty()
                ? why
                : why + " (forced without " + missing.stream().map(Gate::name).collect(Collectors.joining(", ")) + ")";
        if (situation.test()) {
            store.addNote(
                    name,
                    new PhaseNote(
                            clock.instant(),
                            situation.current().version(),
                            who,
                            PhaseNote.Kind.TEXT,
                            TestWalk.facts(readiness.step())));
        }
        return change(situation, readiness, situation.current().readSharePercent(), who, reason);
    }

    /**
     * Makes one step back. Throws as {@link #advance(String, String, boolean)} does; from 4 and 5 always, since the way back from there is
     * {@link #reverse}.
     */
    public PhaseRecord rollback(String who, String why) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Situation situation = situation();
        return checkedChange(situation, Steps.back(situation), who, why);
    }

    /**
     * Goes back from 3 or 2 to 1 at once, whoever acknowledged what, and whatever instances and the target do: in these phases the
     * origin has every write that was acknowledged. The price is in {@link #emergencyPrice}.
     *
     * @throws GateException in any other phase of a migration: from 3b on the origin may lack what was acknowledged
     * @throws PhaseChangedException if somebody else changed the phase at the same time; try again
     */
    public PhaseRecord emergency(String who, String why) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        PhaseRecord current = current();
        requireOriginHasAll(current.phase());
        String reason = why.isEmpty() ? "emergency" : "emergency: " + why;
        // Two records for two steps: whoever reads the history finds neighbours, though nobody need act by the first.
        while (current.phase() != Phase.ORIGIN_ONLY) {
            PhaseRecord next = current.changed(
                    current.phase().previous(), current.readSharePercent(), who, clock.instant(), reason);
            if (!store.compareAndSet(name, current.version(), next)) {
                throw new PhaseChangedException(name, current.version());
            }
            current = next;
        }
        return current;
    }

    private static void requireOriginHasAll(Phase phase) {
        boolean originHasAll = phase == Phase.WRITE_BOTH || phase == Phase.READ_TARGET;
        if (!originHasAll) {
            String evidence = phase == Phase.ORIGIN_ONLY
                    ? "phase 1 is the first"
                    : "the origin may lack what was acknowledged in phase " + phase.label()
                            + ": run 'anneal migrate backfill --reverse', or 'anneal migrate rollback' from 3b";
            Gate gate = new Gate("emergency", false, evidence, false);
            throw new GateException(new Readiness(phase, phase, List.of(gate)));
        }
    }

    /**
     * What {@link #emergency} costs as things stand, a sentence each.
     *
     * @throws GateException where that would be refused
     */
    public List<String> emergencyPrice() {
        requireOriginHasAll(current().phase());
        List<String> price = new ArrayList<>();
        price.add("No write that was acknowledged is lost: the origin has them all.");
        String unreached = unreached();
        price.add(
                "An instance that does not see it acts by its phase until it does: what it reads from the target may be older"
                        + " than what others write to the origin meanwhile." + unreached);
        price.add(
                "Keys in journals of which the target lacks the newest state are of no use any more, lost journals too.");
        price.add(
                "The way forward begins anew: every instance must act by phase 1, then comes a back-fill and a verification.");
        return price;
    }

    private String unreached() {
        try {
            List<String> names = situation().instances().stream()
                    .filter(state -> state.serves() && (state.silent() || !state.acknowledged()))
                    .map(InstanceState::name)
                    .toList();
            return names.isEmpty() ? " All are heard of." : " Not sure to see it: " + String.join(", ", names) + ".";
        } catch (PhaseStoreException e) {
            return " Which, nobody knows: " + e.getMessage();
        }
    }

    /** What {@link #rollback} would do now, and what the origin lacks. */
    public RollbackPlan rollbackPlan() {
        Situation situation = situation();
        Readiness back = Steps.back(situation);
        Optional<String> refusal = back.missing().stream()
                .map(gate -> gate.name() + ": " + gate.evidence())
                .reduce((first, second) -> first + "; " + second);
        Phase from = back.from();
        long keys = situation.test() || from.authority() == Side.ORIGIN ? 0 : new Gates(situation).keysToCopy();
        return new RollbackPlan(
                from,
                from == Phase.ORIGIN_ONLY ? Optional.empty() : Optional.of(back.to()),
                refusal,
                keys,
                lost(situation, keys));
    }

    private static String lost(Situation situation, long keys) {
        if (situation.test()) {
            return "nothing: in test mode the origin has every write";
        }
        String gone = String.join("; ", DepartedKeys.outstanding(situation, Side.ORIGIN));
        String more = gone.isEmpty() ? "" : "; and " + gone;
        return switch (situation.current().phase()) {
            case ORIGIN_ONLY -> "nothing: there is no phase before";
            case WRITE_BOTH ->
                "nothing: the origin has every write; the target misses those to come, so that its back-fill and verification"
                        + " no longer count";
            case READ_TARGET -> "nothing: the origin has every write";
            case TARGET_FIRST -> "nothing, once " + keys + " keys are copied to the origin" + more;
            case WRITE_TARGET, TARGET_ONLY ->
                "what was written and deleted since phase 4, " + keys
                        + " keys, is so in the target alone, the origin has what it held before" + more;
        };
    }

    /**
     * Makes one step of the way back from 5 or 4 towards 3b: there both sides are written again, the journals of keys stop growing,
     * and a reverse back-fill makes the origin whole; {@link #rollback} leads on from there.
     */
    public PhaseRecord reverse(String who, String why) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Situation situation = situation();
        return checkedChange(situation, Steps.reverse(situation), who, why);
    }

    /**
     * Goes back from 4 or 5 to 3b, each step once all instances act by the one before, and waits until they act by the last.
     *
     * @param atMost how long instances may take for each step
     * @throws GateException if a step is refused, or instances don't act by one in time
     */
    public PhaseRecord reverseToBoth(String who, String why, Duration atMost, Sleeper sleeper)
            throws InterruptedException {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(atMost, "atMost");
        Objects.requireNonNull(sleeper, "sleeper");
        while (true) {
            boolean acknowledged = awaitAcknowledged(atMost, sleeper);
            Situation situation = situation();
            if (!situation.wayBack()) {
                checkedChange(situation, Steps.reverse(situation), who, why);
            } else if (acknowledged) {
                return situation.current();
            } else {
                Phase phase = situation.current().phase();
                throw new GateException(new Readiness(phase, phase, List.of(new Gates(situation).instances())));
            }
        }
    }

    /** Changes the share of keys whose reads begin at the target, in 3, or in 2 what 3 will begin with. */
    public PhaseRecord readShare(int percent, String who, String why) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("not a percentage, percent=" + percent);
        }
        Situation situation = situation();
        Readiness readiness = Steps.share(situation);
        if (!readiness.ready()) {
            throw new GateException(readiness);
        }
        return change(situation, readiness, percent, who, why);
    }

    private PhaseRecord checkedChange(Situation situation, Readiness readiness, String who, String why) {
        if (!readiness.ready()) {
            throw new GateException(readiness);
        }
        return change(situation, readiness, situation.current().readSharePercent(), who, why);
    }

    private PhaseRecord change(Situation situation, Readiness readiness, int share, String who, String why) {
        PhaseRecord current = situation.current();
        PhaseRecord next = current.changed(readiness.to(), share, who, clock.instant(), why);
        if (!store.compareAndSet(name, current.version(), next)) {
            throw new PhaseChangedException(name, current.version());
        }
        return next;
    }

    /**
     * Takes off an instance that fell silent, on somebody's word that it is dead: were it alive it would go on in its old phase
     * while the others move on. Its journal counts until it is opened again or everything is verified. Watches it for longer than it
     * takes between two heartbeats, a few seconds if it says nothing else, since the clocks may deceive.
     *
     * @throws IllegalStateException if it is not silent
     * @throws IllegalArgumentException if there is no such instance
     */
    public void declareDead(String instance, String who, String why, Sleeper sleeper) throws InterruptedException {
        Objects.requireNonNull(instance, "instance");
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(sleeper, "sleeper");
        Optional<Heartbeat> last = heartbeat(instance);
        boolean serves = last.map(InstanceState::serves).orElse(true);
        if (last.isPresent() && serves) {
            requireSilent(last.get(), sleeper);
        }
        if (serves) {
            Map<String, String> facts =
                    DepartedKeys.about(instance, last.map(Heartbeat::facts).orElse(Map.of()));
            facts.put(Facts.TEXT, why);
            store.addNote(
                    name,
                    new PhaseNote(clock.instant(), current().version(), who, PhaseNote.Kind.INSTANCE_DEAD, facts));
        }
        store.forget(name, instance);
    }

    /** The last of an instance; empty if it can't be read, which is then taken for one that serves. */
    private Optional<Heartbeat> heartbeat(String instance) {
        List<Heartbeat> heartbeats;
        try {
            heartbeats = store.heartbeats(name);
        } catch (PhaseStoreException e) {
            return Optional.empty();
        }
        return Optional.of(heartbeats.stream()
                .filter(known -> known.instance().equals(instance))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no such instance, name=" + name + ", instance="
                        + instance + ", instances="
                        + heartbeats.stream().map(Heartbeat::instance).toList())));
    }

    private void requireSilent(Heartbeat last, Sleeper sleeper) throws InterruptedException {
        if (!InstanceState.of(last, current(), clock.instant(), policy.silence())
                .silent()) {
            throw alive(last);
        }
        long said = Facts.number(last.facts(), Facts.POLL_MILLIS);
        Duration poll = said < 0 ? POLL_UNSAID : Duration.ofMillis(said);
        sleeper.sleep(poll.multipliedBy(2).plus(POLL_SPARE));
        Optional<Heartbeat> now = heartbeat(last.instance());
        if (!now.equals(Optional.of(last))) {
            throw alive(now.orElse(last));
        }
    }

    private IllegalStateException alive(Heartbeat last) {
        return new IllegalStateException("instance is alive, name=" + name + ", instance=" + last.instance()
                + ", lastHeartbeat=" + last.at() + ", clockHere=" + clock.instant());
    }

    /** To be asked when a back-fill or a verification begins. */
    public WorkStart begin() {
        Situation situation = situation();
        boolean acknowledged = situation.instances().stream().allMatch(InstanceState::acknowledged);
        return new WorkStart(situation.current().version(), situation.now(), acknowledged);
    }

    /** When the first back-fill began that still counts: all instances wrote to both sides then. */
    public Optional<Instant> writtenBothSince() {
        Situation situation = situation();
        return situation.notes().stream()
                .filter(note -> note.kind() == PhaseNote.Kind.BACKFILL)
                .filter(note -> situation
                        .stretch()
                        .filter(stretch -> stretch.holds(note))
                        .isPresent())
                .map(note -> Gates.millis(note.facts(), Facts.STARTED_MILLIS))
                .min(Comparator.naturalOrder());
    }

    /** The instances with keys in their journals of which that side may lack the newest state, and how many. */
    public List<String> lacking(Side side) {
        Objects.requireNonNull(side, "side");
        String fact = DepartedKeys.dirty(side);
        return situation().serving().stream()
                .filter(state -> Facts.number(state.heartbeat().facts(), fact) > 0)
                .map(state -> state.name() + " (" + state.heartbeat().facts().get(fact) + " keys)")
                .toList();
    }

    /** Whether the note of work that began so would count for a gate: all instances have written both sides ever since. */
    public boolean counts(WorkStart start) {
        Objects.requireNonNull(start, "start");
        return situation().stretch().filter(stretch -> stretch.counts(start)).isPresent();
    }

    /**
     * Adds the note of a back-fill or a verification that went through to its end.
     *
     * @param start from {@link #begin}
     * @param facts {@link Facts#ROWS}, without which a comparison has compared nothing; of a comparison {@link Facts#MISMATCHES}, {@link
     *     Facts#WRITTEN_PAST} and {@link Facts#WHOLE}, too
     */
    public PhaseNote finish(WorkStart start, PhaseNote.Kind kind, String who, Map<String, String> facts) {
        Objects.requireNonNull(start, "start");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(facts, "facts");
        if (!WORK.contains(kind)) {
            throw new IllegalArgumentException("not a kind of work, kind=" + kind);
        }
        Map<String, String> all = new HashMap<>(facts);
        all.put(Facts.STARTED_MILLIS, String.valueOf(start.at().toEpochMilli()));
        all.put(Facts.ACKNOWLEDGED, String.valueOf(start.acknowledged()));
        return add(new PhaseNote(clock.instant(), start.version(), who, kind, all));
    }

    /**
     * Ends the migration in phase 5: instances forget the keys that the origin lacks and remember no more, so that there is no way
     * back. Done twice it is done once.
     *
     * @throws GateException if a gate of it is not met
     */
    public PhaseNote finish(String who, String why) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
        Situation situation = situation();
        Readiness readiness = Steps.finish(situation);
        if (!readiness.ready()) {
            throw new GateException(readiness);
        }
        return situation
                .finished()
                .orElseGet(() -> add(new PhaseNote(
                        clock.instant(),
                        situation.current().version(),
                        who,
                        PhaseNote.Kind.FINISHED,
                        why.isEmpty() ? Map.of() : Map.of(Facts.TEXT, why))));
    }

    /** What {@link #finish(String, String)} asks for. */
    public Readiness finishReadiness() {
        return Steps.finish(situation());
    }

    /** Whether the migration was ended. */
    public boolean finished() {
        return end().isPresent();
    }

    /** The note that ended the migration; empty before. */
    public Optional<PhaseNote> end() {
        return situation().finished();
    }

    /**
     * Adds somebody's words.
     *
     * @throws IllegalArgumentException if they are empty, longer than 1,000 characters, or more than a line
     */
    public PhaseNote note(String who, String text) {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(text, "text");
        GivenText.require("note", text);
        return add(PhaseNote.Kind.TEXT, who, Map.of(Facts.TEXT, text));
    }

    PhaseNote add(PhaseNote.Kind kind, String who, Map<String, String> facts) {
        return add(new PhaseNote(clock.instant(), current().version(), who, kind, facts));
    }

    private PhaseNote add(PhaseNote note) {
        store.addNote(name, note);
        return note;
    }

    /** All records that were ever in force, oldest first. */
    public List<PhaseRecord> history() {
        return store.history(name);
    }

    /** All notes, oldest first. */
    public List<PhaseNote> notes() {
        return store.notes(name);
    }

    /** Waits until every instance acknowledged the record in force; answers whether they did in time. */
    public boolean awaitAcknowledged(Duration atMost, Sleeper sleeper) throws InterruptedException {
        Objects.requireNonNull(atMost, "atMost");
        Objects.requireNonNull(sleeper, "sleeper");
        Instant deadline = clock.instant().plus(atMost);
        while (!acknowledged()) {
            if (!clock.instant().isBefore(deadline)) {
                return false;
            }
            sleeper.sleep(ASK_EVERY);
        }
        return true;
    }

    Situation situation() {
        PhaseRecord current = current();
        List<PhaseRecord> history = store.history(name).stream()
                .filter(past -> past.version() <= current.version())
                .toList();
        List<PhaseNote> notes = store.notes(name);
        List<Heartbeat> heartbeats = store.heartbeats(name);
        Instant now = clock.instant();
        List<InstanceState> instances = heartbeats.stream()
                .map(heartbeat -> InstanceState.of(heartbeat, current, now, policy.silence()))
                .toList();
        return new Situation(current, history, notes, instances, now, policy);
    }
}
