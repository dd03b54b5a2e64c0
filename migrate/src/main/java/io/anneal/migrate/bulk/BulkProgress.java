package io.anneal.migrate.bulk;

import java.util.OptionalLong;

/**
 * How far a run has come.
 *
 * @param rows copied or compared, in this run and in those that it goes on from
 * @param mismatches believed so far and not made good; 0 for a back-fill
 * @param secondsLeft by the share of positions that is done and how long it took, empty at the begin
 */
public record BulkProgress(
        long rows, long bytes, int rangesDone, int rangesTotal, long mismatches, OptionalLong secondsLeft) {
    /** Is told now and then, about once a second, on the threads of the run: one at a time. What it throws is logged. */
    @FunctionalInterface
    public interface Listener {
        void progressed(BulkProgress progress);
    }
}
