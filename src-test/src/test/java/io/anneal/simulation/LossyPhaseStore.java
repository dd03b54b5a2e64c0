package io.anneal.simulation;

import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.List;
import java.util.Optional;

/** A phase store as one process sees it: now and then it can't be reached. */
final class LossyPhaseStore implements PhaseStore {
    private final PhaseStore store;
    private boolean lost;

    LossyPhaseStore(PhaseStore store) {
        this.store = store;
    }

    void lost(boolean now) {
        lost = now;
    }

    private PhaseStore reached() {
        if (lost) {
            throw new PhaseStoreException("no way to the phase store");
        }
        return store;
    }

    @Override
    public Optional<PhaseRecord> read(String name) {
        return reached().read(name);
    }

    @Override
    public void create(String name, PhaseRecord first) {
        reached().create(name, first);
    }

    @Override
    public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        return reached().compareAndSet(name, expectedVersion, next);
    }

    @Override
    public List<PhaseRecord> history(String name) {
        return reached().history(name);
    }

    @Override
    public void heartbeat(String name, Heartbeat heartbeat) {
        reached().heartbeat(name, heartbeat);
    }

    @Override
    public List<Heartbeat> heartbeats(String name) {
        return reached().heartbeats(name);
    }

    @Override
    public void forget(String name, String instance) {
        reached().forget(name, instance);
    }

    @Override
    public void addNote(String name, PhaseNote note) {
        reached().addNote(name, note);
    }

    @Override
    public List<PhaseNote> notes(String name) {
        return reached().notes(name);
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public void close() {}
}
