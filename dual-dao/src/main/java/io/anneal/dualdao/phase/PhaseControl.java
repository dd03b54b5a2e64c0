package io.anneal.dualdao.phase;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** Changes the phase of one migration, when the gates are met, and tells how things stand. Any thread may call. */
public final class PhaseControl {
    /** Waits; in production {@code duration -> Thread.sleep(duration.toMillis())}. */
    @FunctionalInterface
    public interface Sleeper {
        void sleep(Duration duration) throws InterruptedException;
    }

    private PhaseControl() {}

    public static PhaseControl of(PhaseStore store, String name, InstantSource clock, ControlPolicy policy) {
        throw new UnsupportedOperationException();
    }

    public String name() {
        throw new UnsupportedOperationException();
    }

    /** The record in force. Throws PhaseStoreException if there is none. */
    public PhaseRecord current() {
        throw new UnsupportedOperationException();
    }

    /** Begins the migration, in phase 1. Throws IllegalStateException if there is one. */
    public PhaseRecord create(String who, String why) {
        throw new UnsupportedOperationException();
    }

    public List<InstanceState> instances() {
        throw new UnsupportedOperationException();
    }

    /** Whether every instance acts by the record in force alone. */
    public boolean acknowledged() {
        throw new UnsupportedOperationException();
    }

    /** What is missing for the next step; in phase 5 a step to itself without gates... */
    public Readiness readiness() {
        throw new UnsupportedOperationException();
    }

    public PhaseRecord advance(String who, String why) {
        return advance(who, why, false);
    }

    /** Throws GateException, PhaseChangedException. */
    public PhaseRecord advance(String who, String why, boolean force) {
        throw new UnsupportedOperationException();
    }

    public PhaseRecord rollback(String who, String why) {
        throw new UnsupportedOperationException();
    }

    public RollbackPlan rollbackPlan() {
        throw new UnsupportedOperationException();
    }

    /** One step from 5 or 4 towards 3b without fallback. */
    public PhaseRecord reverse(String who, String why) {
        throw new UnsupportedOperationException();
    }

    public PhaseRecord readShare(int percent, String who, String why) {
        throw new UnsupportedOperationException();
    }

    public void declareDead(String instance, String who, String why) {
        throw new UnsupportedOperationException();
    }

    /** To be called before a back-fill or a verification begins. */
    public WorkStart begin() {
        throw new UnsupportedOperationException();
    }

    /** Adds the note of a back-fill or a verification that went through. */
    public PhaseNote finish(WorkStart start, PhaseNote.Kind kind, String who, Map<String, String> facts) {
        throw new UnsupportedOperationException();
    }

    /** Adds somebody's words. */
    public PhaseNote note(String who, String text) {
        throw new UnsupportedOperationException();
    }

    public List<PhaseRecord> history() {
        throw new UnsupportedOperationException();
    }

    public List<PhaseNote> notes() {
        throw new UnsupportedOperationException();
    }

    /** Waits until every instance acknowledged the record in force; answers whether they did in time. */
    public boolean awaitAcknowledged(Duration atMost, Sleeper sleeper) throws InterruptedException {
        throw new UnsupportedOperationException();
    }
}
