package io.anneal.cli.runs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/**
 * How far a run was at a moment.
 *
 * @param rows that masters read, in all its parts
 * @param rowsPerSecond since the part that is going on started
 * @param unitsRunning that were at work then
 * @param secondsLeft as the run foretells it; empty when it can't yet
 */
public record RecordedProgress(
        Instant at,
        long rows,
        long rowsPerSecond,
        int unitsDone,
        int unitsTotal,
        int unitsRunning,
        OptionalLong secondsLeft) {
    public RecordedProgress {
        at = at.truncatedTo(ChronoUnit.SECONDS);
    }
}
