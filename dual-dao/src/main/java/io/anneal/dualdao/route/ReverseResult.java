package io.anneal.dualdao.route;

import java.util.List;

/**
 * What became of copying back to the origin the keys written since phase 4.
 *
 * @param copied keys that both sides agree on since, taken out of the journal
 * @param mismatches keys that were copied and on which the sides differ all the same
 * @param failed keys that could not be copied or compared
 * @param left keys still in the journal
 * @param samples some of those that differ or failed, with the reason
 */
public record ReverseResult(long copied, long mismatches, long failed, int left, List<String> samples) {
    public ReverseResult {
        samples = List.copyOf(samples);
    }

    /** Whether the origin holds everything again. */
    public boolean complete() {
        return mismatches == 0 && failed == 0 && left == 0;
    }
}
