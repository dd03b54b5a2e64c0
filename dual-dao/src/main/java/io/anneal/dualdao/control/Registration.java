package io.anneal.dualdao.control;

import io.anneal.dualdao.control.PhaseControl.Sleeper;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's place among the heartbeats. It takes the place of another run under its name only if that run is gone for sure: if
 * it had the journal that this one has open. Else two would act under one name, and whoever changes the phase would see one
 * of them. Owned by one thread at a time.
 */
final class Registration {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    /** Every so many beats, and before each acknowledgement, it is made sure that the store shows this run. */
    private static final int BEATS_PER_CHECK = 30;

    /** A store may hide heartbeats by a clock that is behind, until it catches up. */
    private static final Duration SHOWN_AT_MOST = Duration.ofSeconds(10);

    private static final Duration ASK_EVERY = Duration.ofMillis(100);

    private final PhaseStore store;
    private final String name;
    private final String instance;
    private final Supplier<Map<String, String>> facts;
    private final InstantSource clock;
    private final Sleeper sleeper;

    private String run;
    private Instant started;
    private Optional<Heartbeat> before = Optional.empty();
    private boolean taken;
    private int beatsSinceCheck;
    private boolean inDoubt;

    Registration(
            PhaseStore store,
            String name,
            String instance,
            Supplier<Map<String, String>> facts,
            InstantSource clock,
            Sleeper sleeper) {
        this.store = store;
        this.name = name;
        this.instance = instance;
        this.facts = facts;
        this.clock = clock;
        this.sleeper = sleeper;
    }

    boolean began() {
        return started != null;
    }

    void begin() {
        started = clock.instant();
        run = ProcessHandle.current().pid() + "-" + started.toEpochMilli() + "-"
                + Integer.toHexString(System.identityHashCode(this));
    }

    String run() {
        return run;
    }

    /** Registers this run, which does not serve yet, and waits until the store shows it. Throws if it may not, or does not. */
    void take(PhaseRecord acted) {
        before = shown().filter(InstanceState::serves);
        if (before.isPresent() && !gone().test(before.get())) {
            throw new PhaseStoreException(
                    "another run has this instance's name, and may be serving still: wait for its end,"
                            + " declare it dead (anneal migrate dead), or take another name, name=" + name
                            + ", instance=" + instance
                            + ", lastHeartbeat=" + before.get().at());
        }
        taken = true;
        beat(acted, false, "starts", 0);
        Duration waited = Duration.ZERO;
        while (!isShown()) {
            if (waited.compareTo(SHOWN_AT_MOST) >= 0) {
                throw new PhaseStoreException(
                        "phase store doesn't show this run's heartbeats: is the clock behind? name=" + name
                                + ", instance=" + instance + ", waited=" + waited);
            }
            sleep();
            waited = waited.plus(ASK_EVERY);
            beat(acted, false, "starts", 0);
        }
    }

    private void sleep() {
        try {
            sleeper.sleep(ASK_EVERY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PhaseStoreException(
                    "start was interrupted, name=" + name + ", instance=" + instance + ", run=" + run, e);
        }
    }

    /** Those that had this run's journal, under whatever name. */
    Predicate<Heartbeat> gone() {
        String journal = facts.get().get(Facts.JOURNAL);
        return heartbeat ->
                journal != null && journal.equals(heartbeat.facts().get(Facts.JOURNAL)) && !isOurs(heartbeat);
    }

    /** Takes off runs that are gone for sure; their journal is counted here. */
    void takeOffEarlierRuns() {
        store.heartbeats(name).stream()
                .filter(gone())
                .filter(heartbeat -> !heartbeat.instance().equals(instance))
                .forEach(heartbeat -> store.forget(name, heartbeat.instance()));
    }

    /** Leaves things as they were before {@link #take}. */
    void giveBack(RuntimeException failure) {
        if (!taken) {
            return;
        }
        try {
            if (!isShown()) {
                return;
            }
            if (before.isPresent()) {
                store.heartbeat(name, before.get());
            } else {
                store.forget(name, instance);
            }
        } catch (PhaseStoreException e) {
            failure.addSuppressed(e);
        }
    }

    /** @param heldUp null if nothing holds it up */
    void beat(PhaseRecord acted, boolean drained, String heldUp, long failures) {
        Map<String, String> said = new HashMap<>(facts.get());
        said.putIfAbsent(Facts.KIND, InstanceState.SERVING);
        said.putIfAbsent(Facts.STARTED_MILLIS, String.valueOf(started.toEpochMilli()));
        said.put(Facts.STORE_FAILURES, String.valueOf(failures));
        said.put(Facts.RUN, run);
        said.put(Facts.PHASE, acted.phase().label());
        said.put(Facts.HIGHEST_PHASE, acted.highest().label());
        if (heldUp != null) {
            said.put(Facts.HELD_UP, heldUp);
        }
        store.heartbeat(name, new Heartbeat(instance, acted.version(), drained, clock.instant(), said));
    }

    /**
     * Why this run must not acknowledge: whoever changes the phase does not see it, or it and another would acknowledge for each
     * other.
     *
     * @param now whether to look in any case
     */
    Optional<String> problem(boolean now) {
        beatsSinceCheck++;
        if (!now && !inDoubt && beatsSinceCheck < BEATS_PER_CHECK) {
            return Optional.empty();
        }
        beatsSinceCheck = 0;
        Optional<Heartbeat> shown = shown();
        inDoubt = shown.filter(this::isOurs).isEmpty();
        if (!inDoubt) {
            return Optional.empty();
        }
        return Optional.of(
                (shown.isEmpty() ? "it is not registered, instance=" : "another instance has the same name, instance=")
                        + instance);
    }

    /** Takes this run off, and none that has its name by now. */
    void end() {
        if (isShown()) {
            store.forget(name, instance);
        } else {
            LOG.warn("instance was not registered any more when it ended, name={}, instance={}", name, instance);
        }
    }

    private boolean isShown() {
        return shown().filter(this::isOurs).isPresent();
    }

    private boolean isOurs(Heartbeat heartbeat) {
        return run.equals(heartbeat.facts().get(Facts.RUN));
    }

    private Optional<Heartbeat> shown() {
        List<Heartbeat> heartbeats = store.heartbeats(name);
        return heartbeats.stream()
                .filter(heartbeat -> heartbeat.instance().equals(instance))
                .findAny();
    }
}
