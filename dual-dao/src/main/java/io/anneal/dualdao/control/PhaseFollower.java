package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.PhaseView;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance's part in the protocol of phases: takes up changes from the store, says when it acts by them alone, and keeps to
 * what it has when the store can't be asked.
 *
 * <p>Why instances are never more than one change apart: a change is only made when every registered instance acts by the
 * record in force; and an instance registers first, then looks again, and serves only if the record is still the one that it
 * registered with. So whoever makes the change after next sees it.
 *
 * <p>What an instance remembers of the store, in its marks, is compared when it starts: a store without record, with an older one or
 * with another history refuses the start. While it runs such a store changes nothing: the instance goes on in its phase,
 * says so ({@link #heldUp}, and in its heartbeats) and does not acknowledge. A mark that can't be read is made up for by one that can
 * and that fits, so that a target that is down keeps no instance from starting. If no mark at all takes a step forward, it is not
 * acknowledged; the way back is.
 *
 * <p>{@link #enter}, {@link #current}, {@link #stop} and the questions: any thread. {@link #start}, {@link #poll} and {@link #close}
 * may block for the store and wait for each other.
 */
public final class PhaseFollower implements PhaseSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PhaseFollower.class);

    private final PhaseStore store;
    private final String name;
    private final String instance;
    private final RememberedPhase remembered;
    private final Registration registration;
    private final ReturnedInstance returned;
    private final Supplier<Map<String, String>> facts;
    private final InstantSource clock;

    /** Those of earlier records in which operations may be under way. Guards itself and changes of the view, never while a store is asked. */
    private final List<PhaseView> leaving = new ArrayList<>();

    private long acknowledgedVersion;
    private boolean lost;
    private boolean closed;

    /** Null before the start and after the stop. */
    private volatile PhaseView view;

    private volatile PhaseRecord inForce;
    private volatile Instant lastContact;
    private volatile long failures;
    private volatile String heldUp;

    /**
     * @param instance unique among all that share the phase
     * @param marks where to remember what was seen, none for a store that ends with this process
     * @param facts what to say in the next heartbeat; asked by one thread at a time
     * @param sleeper waits at the start for a store that does not show this run yet
     */
    public PhaseFollower(
            PhaseStore store,
            String name,
            String instance,
            List<PhaseMark> marks,
            Supplier<Map<String, String>> facts,
            InstantSource clock,
            PhaseControl.Sleeper sleeper) {
        this.store = store;
        this.name = name;
        this.instance = instance;
        this.remembered = new RememberedPhase(name, marks);
        this.facts = facts;
        this.clock = clock;
        this.registration = new Registration(store, name, instance, facts, clock, sleeper);
        this.returned = new ReturnedInstance(store, name, instance, facts, clock);
    }

    /**
     * Takes up the record in force and registers the instance.
     *
     * @throws PhaseStoreException if the store can't be asked, has no record, is older than what was seen, or holds phases that do
     *     not fit this instance's mode; if another run has this name and may still be serving; then nobody's registration has
     *     changed
     */
    public synchronized void start() {
        if (registration.began()) {
            throw new IllegalStateException("instance was started before, name=" + name + ", instance=" + instance);
        }
        registration.begin();
        try {
            PhaseRecord seen = readAndCheck();
            registration.take(seen);
            Optional<PhaseRecord> again = store.read(name);
            while (!again.equals(Optional.of(seen))) {
                seen = readAndCheck();
                registration.beat(seen, false, "starts", failures);
                again = store.read(name);
            }
            checkMode(seen);
            returned.ownUpForEarlierRun(seen, remembered.oldestVersion());
            remembered.rememberOrRefuse(seen);
            registration.takeOffEarlierRuns();
            inForce = seen;
            acknowledgedVersion = seen.version();
            registration.beat(seen, true, null, failures);
            view = new PhaseView(seen);
            LOG.info(
                    "phase taken up, name={}, instance={}, phase={}, version={}",
                    name,
                    instance,
                    label(seen),
                    seen.version());
        } catch (RuntimeException e) {
            inForce = null;
            closed = true;
            registration.giveBack(e);
            throw e;
        }
    }

    private PhaseRecord readAndCheck() {
        // Before the record: what an instance acts by now was in force by then.
        List<Heartbeat> heartbeats = store.heartbeats(name);
        Optional<PhaseRecord> seen = store.read(name);
        remembered.check(seen, () -> LostRecord.missing(store, name), () -> store.history(name));
        LostRecord.requireNotBehind(name, seen.orElseThrow(), heartbeats);
        return seen.orElseThrow();
    }

    /** A target that was only tried out must not be taken for one that was migrated to, and the other way round. */
    private void checkMode(PhaseRecord seen) {
        String own = facts.get().getOrDefault(Facts.MODE, "");
        if (own.isEmpty()) {
            return;
        }
        List<Heartbeat> others = store.heartbeats(name).stream()
                .filter(InstanceState::serves)
                .filter(registration.gone().negate())
                .toList();
        for (Heartbeat other : others) {
            String mode = other.facts().getOrDefault(Facts.MODE, own);
            if (!mode.equals(own)) {
                throw new PhaseStoreException("instances of two modes share a phase, name=" + name + ", instance="
                        + instance + ", mode=" + own + ", other=" + other.instance() + ", otherMode=" + mode);
            }
        }
        boolean tested = TestWalk.under(store.history(name), store.notes(name));
        boolean test = own.equals(TestWalk.MODE);
        if (tested && !test) {
            throw new PhaseStoreException(
                    "phases were walked in test mode, the target is not complete: go back to phase 1"
                            + " in test mode, or take another name, name=" + name + ", phase=" + label(seen) + ", mode="
                            + own);
        }
        if (!tested && test && seen.phase() != Phase.ORIGIN_ONLY) {
            throw new PhaseStoreException("a migration went this far, in test mode the target would miss writes and an"
                    + " origin that is behind would answer: test mode begins in phase 1, name=" + name + ", phase="
                    + label(seen) + ", mode=" + own);
        }
    }

    /**
     * One look at the store and one heartbeat, to be called about once a second. Never throws: what a store, a mark or the facts
     * throw is counted and logged, and the instance goes on as it is.
     */
    public synchronized void poll() {
        if (inForce == null || closed) {
            return;
        }
        try {
            look();
            lastContact = clock.instant();
            if (lost) {
                lost = false;
                LOG.info("phase store answers again, name={}, instance={}, failures={}", name, instance, failures);
            }
        } catch (RuntimeException e) {
            // Stores and marks may be the user's own: no exception of theirs may end the polling.
            failures++;
            heldUp = "phase store can't be asked: " + e.getMessage();
            if (!lost) {
                lost = true;
                LOG.warn(
                        "phase store can't be asked, the phase is kept, name={}, instance={}, phase={}, version={}",
                        name,
                        instance,
                        label(inForce),
                        inForce.version(),
                        e);
            }
        }
    }

    private void look() {
        PhaseRecord seen = store.read(name)
                .orElseThrow(
                        () -> new PhaseStoreException("phase record is missing, name=" + name + ", store=" + store));
        Optional<String> refusal = seen.equals(inForce) ? Optional.empty() : refusal(seen);
        if (refusal.isEmpty() && !seen.equals(inForce)) {
            takeUp(seen);
        }
        if (drained()) {
            returned.ownUp(inForce, acknowledgedVersion, registration.run());
        }
        if (acknowledgedVersion != inForce.version()) {
            noteTestMode();
        }
        String reason = refusal.or(this::notDrained)
                .or(remembered::missing)
                .or(() -> registration.problem(acknowledgedVersion != inForce.version()))
                .orElse(null);
        if (reason != null && !reason.equals(heldUp)) {
            LOG.info(
                    "phase not acknowledged, name={}, instance={}, version={}, reason={}",
                    name,
                    instance,
                    inForce.version(),
                    reason);
        }
        heldUp = reason;
        registration.beat(inForce, reason == null, reason, failures);
        if (reason == null) {
            acknowledgedVersion = inForce.version();
        }
    }

    /** Why a record is none that came after the one in force. */
    private Optional<String> refusal(PhaseRecord seen) {
        if (seen.version() <= inForce.version()) {
            return Optional.of("the phase store holds " + text(seen) + ", which is older or of another history than "
                    + text(inForce));
        }
        boolean sameHistory = store.history(name).stream().anyMatch(past -> past.mayBe(inForce));
        return sameHistory
                ? Optional.empty()
                : Optional.of(
                        "the phase store holds " + text(seen) + ", in whose history " + text(inForce) + " is not");
    }

    /** Whoever made the step may have looked before this instance was there. */
    private void noteTestMode() {
        boolean tests = TestWalk.MODE.equals(facts.get().get(Facts.MODE)) && inForce.phase() != Phase.ORIGIN_ONLY;
        if (tests && !TestWalk.under(store.history(name), store.notes(name))) {
            store.addNote(
                    name,
                    new PhaseNote(
                            clock.instant(),
                            inForce.version(),
                            instance,
                            PhaseNote.Kind.TEXT,
                            TestWalk.facts("to " + label(inForce))));
        }
    }

    private void takeUp(PhaseRecord seen) {
        if (!seen.phase().neighbours(inForce.phase())) {
            LOG.error(
                    "phase went on without this instance, which was declared dead, or in an emergency, name={}, instance={},"
                            + " from={}, to={}, who={}, why={}",
                    name,
                    instance,
                    label(inForce),
                    label(seen),
                    seen.who(),
                    seen.why());
        }
        returned.leaves(inForce);
        PhaseRecord before = inForce;
        boolean forward = seen.phase().compareTo(before.phase()) >= 0;
        if (forward) {
            remembered.remember(seen, true);
        }
        inForce = seen;
        synchronized (leaving) {
            if (view != null) {
                leaving.add(view);
                view = new PhaseView(seen);
            }
        }
        if (!forward) {
            // A target that is in trouble, which is why it goes back, may be slow to remember that.
            remembered.remember(seen, false);
        }
        LOG.info(
                "phase taken up, name={}, instance={}, from={}, to={}, version={}, who={}, why={}",
                name,
                instance,
                label(before),
                label(seen),
                seen.version(),
                seen.who(),
                seen.why());
    }

    private Optional<String> notDrained() {
        return drained() ? Optional.empty() : Optional.of("operations of an earlier record are under way");
    }

    @Override
    public PhaseView enter() {
        while (true) {
            PhaseView current = view;
            if (current == null) {
                throw new IllegalStateException("instance has no phase, it was not started or was closed");
            }
            current.enter();
            if (view == current) {
                return current;
            }
            current.leave();
        }
    }

    /** The record that operations act by now; after the end, the last one. */
    public PhaseRecord current() {
        PhaseRecord current = inForce;
        if (current == null) {
            throw new IllegalStateException("instance has no phase, it was not started, name=" + name);
        }
        return current;
    }

    /** When the store was last asked and told, both with success; empty until the first poll. */
    public Optional<Instant> lastContact() {
        return Optional.ofNullable(lastContact);
    }

    /** How many polls failed since the start. */
    public long failures() {
        return failures;
    }

    /** Why this instance does not acknowledge the record in force, or keeps to another one; empty if nothing holds it up. */
    public Optional<String> heldUp() {
        return Optional.ofNullable(heldUp);
    }

    /** No operation may begin from now on: {@link #enter} throws {@link IllegalStateException}. Those under way go on. */
    public void stop() {
        synchronized (leaving) {
            if (view != null) {
                leaving.add(view);
                view = null;
            }
        }
    }

    /** Whether no operation of an earlier record is under way, and after {@link #stop} none at all. */
    public boolean drained() {
        synchronized (leaving) {
            leaving.removeIf(PhaseView::drained);
            return leaving.isEmpty();
        }
    }

    /**
     * Stops, and takes the instance off if nothing is under way any more; wait for {@link #drained} before. Else it stays
     * registered and holds up the next step, until somebody declares it dead. Keys that are left in its journal are noted, since nobody
     * counts them any more. Does not throw; a second call does nothing.
     */
    @Override
    public synchronized void close() {
        stop();
        if (inForce == null || closed) {
            return;
        }
        closed = true;
        if (!drained()) {
            LOG.error(
                    "instance ends with operations under way and stays registered, name={}, instance={}",
                    name,
                    instance);
            return;
        }
        try {
            PhaseRecord last = store.read(name).orElse(inForce);
            if (last.version() > inForce.version()) {
                returned.leaves(inForce);
                returned.ownUp(last, acknowledgedVersion, registration.run());
            }
            DepartedKeys.left(instance, facts.get(), last)
                    .ifPresent(left -> store.addNote(
                            name,
                            new PhaseNote(
                                    clock.instant(), inForce.version(), instance, PhaseNote.Kind.INSTANCE_LEFT, left)));
            registration.end();
        } catch (RuntimeException e) {
            // As in poll; the next step waits for somebody who declares it dead.
            LOG.error("instance could not be taken off and stays registered, name={}, instance={}", name, instance, e);
        }
    }

    private static String label(PhaseRecord phaseRecord) {
        return phaseRecord.phase().label();
    }

    private static String text(PhaseRecord phaseRecord) {
        return "version " + phaseRecord.version() + " (phase " + label(phaseRecord) + ")";
    }
}
