package io.anneal.repair;

import io.anneal.io.ByteBudget;
import io.anneal.io.RateLimiter;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What a repair takes from its process. All belong to the caller.
 *
 * @param executor reads and writes the replicas of this process, beside the thread that runs the repair
 * @param budget memory for row buffers
 * @param clock gives the purge time
 * @param random gives session ids and hash seeds
 * @param sleeper waits while a node is busy
 */
public record RepairEnvironment(
        Executor executor,
        ByteBudget budget,
        InstantSource clock,
        RandomGenerator random,
        RateLimiter.Sleeper sleeper) {}
