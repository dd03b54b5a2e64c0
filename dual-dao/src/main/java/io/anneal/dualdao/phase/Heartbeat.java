package io.anneal.dualdao.phase;

import java.time.Instant;
import java.util.Map;

/**
 * What an instance last said of itself. It counts until the instance is taken off: one that falls silent holds up the next
 * step, since nobody knows in which phase it goes on.
 *
 * @param instance name, unique among all that share a phase
 * @param version of the {@link PhaseRecord} it acts by
 * @param drained whether no operation of an earlier record is under way any more
 * @param at by the instance's clock
 * @param facts counters, histograms and samples, named by {@link Facts}
 */
public record Heartbeat(String instance, long version, boolean drained, Instant at, Map<String, String> facts) {
    public Heartbeat {
        facts = Map.copyOf(facts);
    }
}
