package io.anneal.dualdao.phase;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An instance's part in the protocol of phases: takes up changes from the store, says when it acts by them alone, and keeps to what
 * it has when the store can't be asked.
 */
public final class PhaseFollower implements PhaseSource, AutoCloseable {
    private volatile PhaseView view;

    public PhaseFollower(
            PhaseStore store,
            String name,
            String instance,
            List<PhaseMark> marks,
            Supplier<Map<String, String>> facts,
            InstantSource clock) {}

    /** Takes up the record in force and registers the instance. Throws PhaseStoreException if it must not serve. */
    public void start() {
        throw new UnsupportedOperationException();
    }

    /** One look at the store, and one heartbeat. Never throws; to be called about once a second by one scheduler. */
    public void poll() {}

    @Override
    public PhaseView enter() {
        return view;
    }

    /** The record that operations act by now. */
    public PhaseRecord current() {
        return view.record();
    }

    /** When the store was last asked and told with success; empty before {@link #start}. */
    public Optional<Instant> lastContact() {
        return Optional.empty();
    }

    /** How many polls failed since the start. */
    public long failures() {
        return 0;
    }

    /** Why this instance does not acknowledge the record in force, or acts by another; empty if all is well. */
    public Optional<String> heldUp() {
        return Optional.empty();
    }

    /** No operation may begin from now on: {@link #enter} throws IllegalStateException. */
    public void stop() {}

    /** Whether no operation is under way, in whatever phase it began. */
    public boolean drained() {
        return false;
    }

    /** Stops, and takes the instance off if it is drained; else it stays registered and holds up the next step. */
    @Override
    public void close() {}
}
