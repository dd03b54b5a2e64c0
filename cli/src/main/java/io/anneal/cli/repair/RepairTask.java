package io.anneal.cli.repair;

import io.anneal.cli.command.QualifiedTable;
import io.anneal.node.Waiver;
import io.anneal.repair.DriftSample;
import io.anneal.repair.Repair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a repair command was asked to do.
 *
 * @param allReplicas whether there are no other replicas of the range
 * @param staged the run whose SSTables count although they are not imported yet
 * @param parallel how many ranges at once, of all tables
 * @param includeRecent whether what may still be on its way is compared, too
 * @param readsAll whether what replicas know from an earlier repair is read again
 * @param sample what of the replicas' ranges the owned ones are, if not all
 */
record RepairTask(
        List<QualifiedTable> tables,
        Ownership owned,
        int bufferBytes,
        boolean dryRun,
        boolean allReplicas,
        Optional<UUID> staged,
        Set<Waiver> waivers,
        int parallel,
        long rowsPerSecond,
        boolean includeRecent,
        boolean readsAll,
        Optional<DriftSample> sample) {
    /** Writes are on their way to a replica for so long at most, hints aside; a clock may be off by some of it. */
    static final Duration RECENT = Duration.ofSeconds(10);

    /** The repair, but for its replicas. */
    Repair repair() {
        Repair repair = owned.applyTo(
                        Repair.of(tables.stream().map(QualifiedTable::toString).toList()))
                .bufferBytes(bufferBytes)
                .dryRun(dryRun)
                .readsAll(readsAll)
                .allReplicas(allReplicas)
                .allow(waivers)
                .parallel(parallel)
                .rowsPerSecond(rowsPerSecond);
        staged.ifPresent(repair::staged);
        if (!includeRecent) {
            repair.leaveOutRecent(RECENT);
        }
        return repair;
    }
}
