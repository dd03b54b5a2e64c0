package io.anneal.dualdao.phase;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

public final class FilePhaseStore implements PhaseStore {
    public FilePhaseStore(Path directory) {}

    @Override
    public Optional<PhaseRecord> read(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void create(String name, PhaseRecord first) {}

    @Override
    public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        return false;
    }

    @Override
    public List<PhaseRecord> history(String name) {
        return List.of();
    }

    @Override
    public void heartbeat(String name, Heartbeat heartbeat) {}

    @Override
    public List<Heartbeat> heartbeats(String name) {
        return List.of();
    }

    @Override
    public void forget(String name, String instance) {}

    @Override
    public void addNote(String name, PhaseNote note) {}

    @Override
    public List<PhaseNote> notes(String name) {
        return List.of();
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public void close() {}
}
