package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * What a repair takes from its process. All belong to the caller.
 *
 * @param host gives purge time, session ids and hash seeds, and waits while a node is busy
 * @param executor reads and writes the replicas of this process, beside the thread that runs the repair, which does it alone
 *     where the executor has no other
 * @param budget memory for what sessions hold, half of which they take at most; of a node with replicas, the node's
 * @param metrics counts what the replicas of this process do
 * @param transfer brings SSTables to a replica that holds next to nothing; without it that gets rows
 */
public record RepairEnvironment(
        HostEnvironment host,
        Executor executor,
        ByteBudget budget,
        RepairMetrics metrics,
        Optional<RangeTransfer> transfer) {
    public RepairEnvironment {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(budget, "budget");
        Objects.requireNonNull(metrics, "metrics");
        Objects.requireNonNull(transfer, "transfer");
    }

    /** Replicas get rows, however little they hold. */
    public RepairEnvironment(HostEnvironment host, Executor executor, ByteBudget budget, RepairMetrics metrics) {
        this(host, executor, budget, metrics, Optional.empty());
    }

    /** Nobody looks at its metrics. */
    public RepairEnvironment(HostEnvironment host, Executor executor, ByteBudget budget) {
        this(
                host,
                executor,
                budget,
                new RepairMetrics("", Objects.requireNonNull(host, "host").nanoTime()));
    }

    /** The same, in which a replica that holds next to nothing gets SSTables. */
    public RepairEnvironment withTransfer(RangeTransfer transfer) {
        Objects.requireNonNull(transfer, "transfer");
        return new RepairEnvironment(host, executor, budget, metrics, Optional.of(transfer));
    }
}
