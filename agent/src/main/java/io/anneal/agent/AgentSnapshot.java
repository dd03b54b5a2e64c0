package io.anneal.agent;

import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot as its agent tells of it.
 *
 * @param at when it began, by the clock of the agent's machine
 * @param doneAt when all of it was there, by the same clock: what was written between is in it or not
 * @param importWithin for how long after the earliest snapshot of all nodes its node may import, were all clocks the same
 */
record AgentSnapshot(Instant at, Instant doneAt, Duration importWithin) {}
