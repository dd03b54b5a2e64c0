package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import java.util.concurrent.Executor;

/**
 * What a repair takes from its process. All belong to the caller.
 *
 * @param host gives purge time, session ids and hash seeds, and waits while a node is busy
 * @param executor reads and writes the replicas of this process, beside the thread that runs the repair, which does it alone
 *     where the executor has no other
 * @param budget memory for what sessions hold, half of which they take at most; of a node with replicas, the node's
 * @param metrics counts what the replicas of this process do
 */
public record RepairEnvironment(HostEnvironment host, Executor executor, ByteBudget budget, RepairMetrics metrics) {
    /** Nobody looks at its metrics. */
    public RepairEnvironment(HostEnvironment host, Executor executor, ByteBudget budget) {
        this(host, executor, budget, new RepairMetrics("", host.nanoTime()));
    }
}
