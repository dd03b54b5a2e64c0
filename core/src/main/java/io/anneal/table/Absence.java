package io.anneal.table;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For how long a store was closed before it is opened now. After more than gc_grace a table may lack deletions that no replica
 * has any more, and its manifest says so until it has caught up.
 *
 * @param lastOpen a moment at which the store was open, as far as its files tell; empty when they do not
 */
record Absence(Optional<Instant> lastOpen, Instant now) {
    private static final Logger LOG = LoggerFactory.getLogger(Absence.class);

    /** Before anything of the table is changed. */
    void note(TableDirectory table) throws IOException {
        long gcGraceSeconds = table.schema().options().gcGraceSeconds();
        Instant written = Files.getLastModifiedTime(table.directory().resolve(Manifest.FILE))
                .toInstant();
        Instant last = lastOpen.filter(written::isBefore).orElse(written);
        boolean isLong = gcGraceSeconds > 0 && Duration.between(last, now).toSeconds() > gcGraceSeconds;
        if (isLong && table.content().staleSeconds().isEmpty()) {
            table.update(content -> content.withStale(last.getEpochSecond()));
            LOG.warn(
                    "store was closed for longer than the table's gc_grace, so that other replicas may have forgotten what was"
                            + " deleted meanwhile: a repair takes the table only when it is allowed, table={}, open={},"
                            + " gcGraceSeconds={}",
                    table.schema().qualifiedName(),
                    last,
                    gcGraceSeconds);
        }
    }
}
