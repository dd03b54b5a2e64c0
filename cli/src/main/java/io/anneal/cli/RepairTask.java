package io.anneal.cli;

import io.anneal.key.TokenRange;
import io.anneal.repair.message.Waiver;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a repair command was asked to do with one table.
 *
 * @param runId the id of this repair, by which what it stages is known
 * @param staged the run whose SSTables count although they are not imported yet
 */
record RepairTask(
        UUID runId,
        QualifiedTable table,
        TokenRange range,
        int bufferBytes,
        boolean dryRun,
        Optional<UUID> staged,
        Set<Waiver> waivers) {}
