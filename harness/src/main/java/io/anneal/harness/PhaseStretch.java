package io.anneal.harness;

import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.stats.Counter;
import io.anneal.harness.report.LatencyPoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What happened while a phase was in force.
 *
 * @param latencies of both sides
 * @param counted since the phase began
 * @param works what was done between, and what came of it
 */
public record PhaseStretch(
        PhaseRecord phase, Duration lasted, LatencyPoint latencies, Map<Counter, Long> counted, List<String> works) {
    public PhaseStretch {
        counted = Map.copyOf(counted);
        works = List.copyOf(works);
    }

    public long counted(Counter counter) {
        return counted.getOrDefault(counter, 0L);
    }
}
