package io.anneal.dualdao;

import java.util.List;

/**
 * What a {@link KeyRun} did, with the runs that it went on from.
 *
 * @param keys that were listed
 * @param left of a back-fill: keys that wait in the journal, since they were written just then or could not be copied
 * @param mismatches of a verification: keys of which the sides differ, each time that they were read, and that were not made good
 * @param writtenPast of the mismatches those that the origin got after all instances wrote to both sides
 * @param repaired keys that differed, and were made good
 * @param complete false if there were too many mismatches to go on
 * @param samples some of the mismatches, in words
 */
public record KeyRunResult(
        long keys,
        long left,
        long mismatches,
        long writtenPast,
        long repaired,
        boolean complete,
        List<String> samples) {
    public KeyRunResult {
        samples = List.copyOf(samples);
    }

    /** Whether all is the same on both sides, as far as this run knows. */
    public boolean clean() {
        return complete && left == 0 && mismatches == 0;
    }
}
