package io.anneal.agent;

import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot as its agent tells of it.
 *
 * @param at when it began, by the clock of the agent's machine
 * @param importWithin for how long after the earliest snapshot of all nodes its node may import, were all clocks the same
 */
record AgentSnapshot(Instant at, Duration importWithin) {}
