package io.anneal.cli.repair;

import io.anneal.cli.command.QualifiedTable;
import io.anneal.key.TokenRange;
import io.anneal.repair.Repair;
import io.anneal.repair.message.Waiver;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a repair command was asked to do with one table.
 *
 * @param staged the run whose SSTables count although they are not imported yet
 */
record RepairTask(
        QualifiedTable table,
        TokenRange range,
        int bufferBytes,
        boolean dryRun,
        Optional<UUID> staged,
        Set<Waiver> waivers) {
    /** The repair, but for its replicas. */
    Repair repair() {
        Repair repair = Repair.of(table.toString())
                .range(range)
                .bufferBytes(bufferBytes)
                .dryRun(dryRun)
                .allow(waivers);
        staged.ifPresent(repair::staged);
        return repair;
    }
}
