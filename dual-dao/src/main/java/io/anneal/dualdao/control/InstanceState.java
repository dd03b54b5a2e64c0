package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseRecord;
import java.time.Duration;
import java.time.Instant;

/**
 * An instance as its last heartbeat shows it.
 *
 * @param name of the instance
 * @param serves whether it serves calls, and so has to acknowledge every change; back-fills and verifications only show
 *     themselves
 * @param acknowledged whether it acts by the record in force, and nothing of an earlier one is under way
 * @param silentFor how old its last heartbeat is, by its clock and the asking one's; negative if its clock is ahead
 * @param silent whether that is longer than the policy allows, or as far ahead
 */
public record InstanceState(
        String name, Heartbeat heartbeat, boolean serves, boolean acknowledged, Duration silentFor, boolean silent) {
    /** The {@link Facts#KIND} of instances that serve calls. */
    static final String SERVING = "dao";

    static InstanceState of(Heartbeat heartbeat, PhaseRecord inForce, Instant now, Duration silence) {
        Duration silentFor = Duration.between(heartbeat.at(), now);
        boolean serves = serves(heartbeat);
        return new InstanceState(
                heartbeat.instance(),
                heartbeat,
                serves,
                !serves || heartbeat.version() == inForce.version() && heartbeat.drained(),
                silentFor,
                silentFor.abs().compareTo(silence) > 0);
    }

    static boolean serves(Heartbeat heartbeat) {
        return heartbeat.facts().getOrDefault(Facts.KIND, SERVING).equals(SERVING);
    }
}
