package io.anneal.job;

import java.util.OptionalLong;

/**
 * How far a job has come, in this run and in those that it goes on from.
 *
 * @param unitsDone of all units those that need no more work
 * @param unitsRunning at work right now: what waits for room, or to be tried again, is not
 * @param isPaused whether it rests until somebody resumes it
 * @param secondsLeft by the share of the work that is done and the time it took without pauses; empty at the start
 */
public record JobProgress(
        long rows,
        long bytes,
        int unitsDone,
        int unitsTotal,
        int unitsRunning,
        boolean isPaused,
        OptionalLong secondsLeft) {
    /** Hears of progress about once a second and at the end, one call at a time. What it throws is logged. */
    @FunctionalInterface
    public interface Listener {
        void progressed(JobProgress progress);
    }
}
