package io.anneal.cli.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A table all of whose ranges a run has done.
 *
 * @param coveredUntil everything written before was compared; empty when it is not known
 * @param gcGrace empty when it is not known
 * @param sstablesToImport how many wait for an import, which replicas have nothing of before
 * @param importBefore the moment after which these must not be imported
 */
public record RecordedTable(
        String table,
        long rowsDiffering,
        long deletionsDiffering,
        long rowsWritten,
        long deletionsWritten,
        Optional<Instant> coveredUntil,
        Optional<Duration> gcGrace,
        int sstablesToImport,
        Optional<Instant> importBefore) {}
