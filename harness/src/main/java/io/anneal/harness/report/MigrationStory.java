package io.anneal.harness.report;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a report tells.
 *
 * @param name of the migration
 * @param points in order of time
 * @param events in order of time
 * @param summary lines that stand above the charts
 */
public record MigrationStory(
        String name,
        Instant from,
        Instant to,
        List<LatencyPoint> points,
        List<StoryEvent> events,
        List<String> summary) {
    public MigrationStory {
        points = List.copyOf(points);
        events = List.copyOf(events);
        summary = List.copyOf(summary);
        if (to.isBefore(from)) {
            throw new IllegalArgumentException("story ends before it begins, from=" + from + ", to=" + to);
        }
    }

    /** The same with more lines above the charts. */
    public MigrationStory withSummary(List<String> lines) {
        List<String> all = new ArrayList<>(summary);
        all.addAll(lines);
        return new MigrationStory(name, from, to, points, events, all);
    }

    /** What there are charts of: reads, and whatever else there was. */
    List<Measured> measured() {
        return Arrays.stream(Measured.values())
                .filter(measured -> measured == Measured.READS || has(measured))
                .toList();
    }

    private boolean has(Measured measured) {
        return points.stream()
                .anyMatch(point -> point.of(measured, Side.ORIGIN).count() > 0
                        || point.of(measured, Side.TARGET).count() > 0);
    }

    /** The powers of ten, in nanoseconds, between which all latencies of both sides lie: the one scale of both charts. */
    Scale scale(Measured measured) {
        long min = Long.MAX_VALUE;
        long max = 1;
        for (LatencyPoint point : points) {
            for (Side side : Side.values()) {
                Distribution distribution = point.of(measured, side);
                if (distribution.count() > 0) {
                    min = Math.min(min, Math.max(1, distribution.p50Nanos()));
                    max = Math.max(max, distribution.p999Nanos());
                }
            }
        }
        return Scale.around(Math.min(min, max), max);
    }
}
