package io.anneal.table;

import io.anneal.key.TokenRange;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For how long a store was closed before it is opened now, or open for repairs alone. After more than gc_grace a table may lack
 * deletions that no replica has any more, and its manifest says so until it has caught up.
 *
 * @param lastOpen a moment at which the store was open, as far as its files tell; empty when they do not
 * @param forRepairs whether the store is opened beside its program: its data keeps its date then
 */
record Absence(Optional<Instant> lastOpen, Instant now, boolean forRepairs) {
    private static final Logger LOG = LoggerFactory.getLogger(Absence.class);

    /** Before anything of the table is changed. */
    void note(TableDirectory table) throws IOException {
        Instant last = last(table);
        long gcGraceSeconds = table.schema().options().gcGraceSeconds();
        boolean isLong = gcGraceSeconds > 0 && Duration.between(last, now).toSeconds() > gcGraceSeconds;
        if (isLong && table.content().staleSeconds().isEmpty()) {
            LOG.warn(
                    "store was closed for longer than the table's gc_grace, so that other replicas may have forgotten what was"
                            + " deleted meanwhile: a repair takes the table only when it is allowed, table={}, open={},"
                            + " gcGraceSeconds={}",
                    table.schema().qualifiedName(),
                    last,
                    gcGraceSeconds);
        }
        OptionalLong dated = forRepairs ? OptionalLong.of(last.getEpochSecond()) : OptionalLong.empty();
        table.update(content -> (isLong ? content.withStale(last.getEpochSecond()) : content).withDated(dated));
    }

    /** What was open since for repairs alone tells nothing by the times of its files. */
    private Instant last(TableDirectory table) throws IOException {
        OptionalLong dated = table.content().datedSeconds();
        if (dated.isPresent()) {
            long repaired = RepairedRanges.earliest(table.content().repairTimes(), List.of(TokenRange.FULL));
            return Instant.ofEpochSecond(Math.max(dated.getAsLong(), repaired));
        }
        Instant written = Files.getLastModifiedTime(table.directory().resolve(Manifest.FILE))
                .toInstant();
        return lastOpen.filter(written::isBefore).orElse(written);
    }
}
