package io.anneal.dualdao.phase;

import java.util.List;
import java.util.Optional;

/**
 * Where the phase of migrations lives, shared by all instances. Every change is a compare-and-set on the version; whoever
 * loses sees false and reads again. Any thread may call.
 *
 * <p>Every method throws {@link PhaseStoreException} when the store can't be asked. What is missing, empty or unreadable is
 * never an answer of "phase 1": only {@link #create} begins a migration. What one call did is seen by every later call, of
 * any instance: the rules that keep instances within one step rest on that. {@code PhaseStoreContract} of the test kit
 * checks implementations.
 */
public interface PhaseStore extends AutoCloseable {
    /** The record in force; empty if there is none of that name. */
    Optional<PhaseRecord> read(String name);

    /**
     * Begins a migration.
     *
     * @throws IllegalStateException if there is a record of that name
     * @throws PhaseStoreException if the store does not know, too: look again before the next try
     */
    void create(String name, PhaseRecord first);

    /**
     * Puts a record in force if that version is, and adds it to the history.
     *
     * @return whether it was
     * @throws IllegalArgumentException if the record's version is not the next one
     * @throws PhaseStoreException if the store does not know, too: it may still happen, so look again before the next try
     */
    boolean compareAndSet(String name, long expectedVersion, PhaseRecord next);

    /** All records that were ever in force, oldest first. */
    List<PhaseRecord> history(String name);

    /** Registers an instance, or renews what is known of it. */
    void heartbeat(String name, Heartbeat heartbeat);

    /** The last heartbeat of each instance, by name. */
    List<Heartbeat> heartbeats(String name);

    /** Takes an instance off: it closed, or it was declared dead. */
    void forget(String name, String instance);

    void addNote(String name, PhaseNote note);

    /** All notes, oldest first. */
    List<PhaseNote> notes(String name);

    /** Whether it outlives this process; then an instance needs a directory for its own memory of it. */
    boolean persistent();

    @Override
    void close();
}
