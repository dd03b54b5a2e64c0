package io.anneal.dualdao.phase;

import java.time.Duration;

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
        String name, Heartbeat heartbeat, boolean serves, boolean acknowledged, Duration silentFor, boolean silent) {}
