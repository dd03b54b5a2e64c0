package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.List;
import java.util.Optional;

/** A phase store in memory that can be out of reach, and whose content can be swapped for another. */
class UnreliableStore implements PhaseStore {
    PhaseStore inner = new MemoryPhaseStore();
    boolean lost;
    /** Done once, before the next read of the record is answered. */
    Runnable beforeRead = () -> {};

    private PhaseStore reached() {
        if (lost) {
            throw new PhaseStoreException("out of reach");
        }
        return inner;
    }

    @Override
    public Optional<PhaseRecord> read(String name) {
        Runnable before = beforeRead;
        beforeRead = () -> {};
        before.run();
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
        return false;
    }

    @Override
    public void close() {}
}
