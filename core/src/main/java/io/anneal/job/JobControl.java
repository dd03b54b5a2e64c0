package io.anneal.job;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Pauses, resumes and aborts the jobs that it was given to. It may be made long before a job opens and stay after its end. Safe to
 * share between threads.
 */
public final class JobControl {
    private final Set<Steered> jobs = new LinkedHashSet<>();
    private Optional<String> abortReason = Optional.empty();
    private volatile Optional<String> stopReason = Optional.empty();
    private boolean paused;
    private int resting;
    /** Whether workers have to look closer; read without the lock, once a row. */
    private volatile boolean holding;

    /** What a job does when it is steered. It must not wait. */
    interface Steered {
        void paused();

        void resumed();

        void aborted();
    }

    /** Lets workers rest at the next place where they ask: before a unit, before an attempt, and where a task paces itself. */
    public synchronized void pause() {
        if (!paused) {
            paused = true;
            holding = true;
            jobs.forEach(Steered::paused);
        }
    }

    /** Lets workers go on. */
    public synchronized void resume() {
        if (paused) {
            paused = false;
            holding = abortReason.isPresent();
            notifyAll();
            jobs.forEach(Steered::resumed);
        }
    }

    /**
     * Ends jobs for good: their workers are interrupted, and {@link RangeJob#run} throws {@link JobAbortedException}. A job that is
     * opened later with this control ends at once.
     *
     * @param reason stands in the exception
     */
    public synchronized void abort(String reason) {
        Objects.requireNonNull(reason, "reason");
        if (abortReason.isEmpty()) {
            abortReason = Optional.of(reason);
            holding = true;
            notifyAll();
            jobs.forEach(Steered::aborted);
        }
    }

    /**
     * Ends jobs gently: no unit and no further attempt is begun, and what is worked on ends where it can be recorded, if its task
     * asks {@link UnitRun#isStopping}, or else when it is done. Then {@link RangeJob#run} throws {@link JobAbortedException} if units
     * are left. Interrupts nobody: what waits goes on to wait. May be called before {@link #abort}.
     *
     * @param reason stands in the exception
     */
    public void stop(String reason) {
        Objects.requireNonNull(reason, "reason");
        stopReason = Optional.of(reason);
    }

    boolean isStopping() {
        return stopReason.isPresent();
    }

    public synchronized boolean isPaused() {
        return paused;
    }

    /** How many workers rest. */
    synchronized int resting() {
        return resting;
    }

    synchronized void attach(Steered job) {
        jobs.add(job);
        if (paused) {
            job.paused();
        }
    }

    synchronized void detach(Steered job) {
        jobs.remove(job);
    }

    /**
     * Waits while paused.
     *
     * @throws JobAbortedException after an abort
     */
    void awaitLeave() throws InterruptedException {
        if (holding) {
            rest();
        }
    }

    private synchronized void rest() throws InterruptedException {
        resting++;
        try {
            while (paused && abortReason.isEmpty()) {
                wait();
            }
        } finally {
            resting--;
        }
        requireNotAborted();
    }

    void requireNotStopped() {
        if (stopReason.isPresent()) {
            throw new JobAbortedException(stopReason.get());
        }
    }

    synchronized void requireNotAborted() {
        if (abortReason.isPresent()) {
            throw new JobAbortedException(abortReason.get());
        }
    }
}
