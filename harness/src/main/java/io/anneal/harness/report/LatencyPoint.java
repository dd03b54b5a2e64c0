package io.anneal.harness.report;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.time.Instant;

/**
 * What calls of both sides took in one stretch of time, of all instances together.
 *
 * @param at when it ended
 */
public record LatencyPoint(
        Instant at,
        Distribution originReads,
        Distribution targetReads,
        Distribution originWrites,
        Distribution targetWrites) {
    Distribution of(Measured measured, Side side) {
        if (measured == Measured.READS) {
            return side == Side.ORIGIN ? originReads : targetReads;
        }
        return side == Side.ORIGIN ? originWrites : targetWrites;
    }
}
