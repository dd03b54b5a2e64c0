package io.anneal.dualdao.phase;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A phase store for DAOs of one process, gone with it. Any thread may call. */
public final class MemoryPhaseStore implements PhaseStore {
    private static final class Migration {
        final List<PhaseRecord> history = new ArrayList<>();
        final List<PhaseNote> notes = new ArrayList<>();
        final Map<String, Heartbeat> heartbeats = new TreeMap<>();
    }

    private final Map<String, Migration> migrations = new LinkedHashMap<>();

    @Override
    public synchronized Optional<PhaseRecord> read(String name) {
        List<PhaseRecord> history = migration(name).history;
        return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1));
    }

    @Override
    public synchronized void create(String name, PhaseRecord first) {
        Migration migration = migrations.computeIfAbsent(name, unknown -> new Migration());
        if (!migration.history.isEmpty()) {
            throw new IllegalStateException("there is a phase record already, name=" + name);
        }
        migration.history.add(first);
    }

    @Override
    public synchronized boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        if (next.version() != expectedVersion + 1) {
            throw new IllegalArgumentException(
                    "not the next version, expectedVersion=" + expectedVersion + ", version=" + next.version());
        }
        boolean expected = read(name)
                .filter(current -> current.version() == expectedVersion)
                .isPresent();
        if (expected) {
            migration(name).history.add(next);
        }
        return expected;
    }

    @Override
    public synchronized List<PhaseRecord> history(String name) {
        return List.copyOf(migration(name).history);
    }

    @Override
    public synchronized void heartbeat(String name, Heartbeat heartbeat) {
        created(name).heartbeats.put(heartbeat.instance(), heartbeat);
    }

    @Override
    public synchronized List<Heartbeat> heartbeats(String name) {
        return List.copyOf(migration(name).heartbeats.values());
    }

    @Override
    public synchronized void forget(String name, String instance) {
        migration(name).heartbeats.remove(instance);
    }

    @Override
    public synchronized void addNote(String name, PhaseNote note) {
        created(name).notes.add(note);
    }

    @Override
    public synchronized List<PhaseNote> notes(String name) {
        return List.copyOf(migration(name).notes);
    }

    @Override
    public boolean persistent() {
        return false;
    }

    /** Does nothing: what is in memory is there as long as somebody holds it. */
    @Override
    public void close() {}

    private Migration migration(String name) {
        return migrations.getOrDefault(name, new Migration());
    }

    private Migration created(String name) {
        Migration migration = migrations.get(name);
        if (migration == null) {
            throw new PhaseStoreException("no phase record of that name, name=" + name);
        }
        return migration;
    }
}
