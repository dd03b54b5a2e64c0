package io.anneal.migrate.bulk;

import java.util.List;

/**
 * What a verification found.
 *
 * @param entries compared, those that are on one side only included
 * @param cleared what differed at first and not when it was read again
 * @param writtenPast of the mismatches those that the origin got after all instances wrote to both sides
 * @param repaired mismatches that were then made good in the target
 * @param complete whether all ranges were compared; false when there were too many mismatches to go on
 * @param samples some of the mismatches
 * @param resumedRanges ranges that an earlier run had compared
 * @param seconds that this run took
 */
public record VerificationResult(
        long entries,
        long onlyOrigin,
        long onlyTarget,
        long different,
        long cleared,
        long writtenPast,
        long repaired,
        boolean complete,
        List<BulkMismatch> samples,
        int ranges,
        int resumedRanges,
        double seconds) {
    public VerificationResult {
        samples = List.copyOf(samples);
    }

    /** Entries that are not the same on both sides, and were not made so. */
    public long mismatches() {
        return onlyOrigin + onlyTarget + different - repaired;
    }

    /** Whether all was compared and is the same. */
    public boolean clean() {
        return complete && mismatches() == 0;
    }
}
