package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * The view of a normalised row that a {@link PurgeRule} leaves: rules 9 and 10 of the canonical form. First an expiring cell
 * that has expired is dropped if its expiry is purgeable, else it becomes the tombstone that its writer would have left
 * ({@code ldt - ttl}), which is dropped in turn if purgeable; then tombstones, deletions and expired liveness go by their own
 * times. Must see a row after the merge and the clamp, or what is purged could have shadowed something. Allocates
 * nothing. Safe to share if its rule is.
 */
public final class Purger {
    private final PurgeRule rule;
    private final boolean[] staticCounters;
    private final boolean[] regularCounters;

    public Purger(TableSchema schema, PurgeRule rule) {
        this.rule = rule;
        staticCounters = counters(schema.staticColumns());
        regularCounters = counters(schema.regularColumns());
    }

    private static boolean[] counters(List<Column> columns) {
        boolean[] counters = new boolean[columns.size()];
        for (Column column : columns) {
            counters[column.index()] = column.type().isCounter();
        }
        return counters;
    }

    public PurgeRule rule() {
        return rule;
    }

    /** Whether the view differs from the row: mostly it does not, and the row's own bytes can be used. */
    public boolean changes(Row row) {
        if (isDeletionPurgeable(row) || isLivenessPurgeable(row)) {
            return true;
        }
        if (row.isPlain()) {
            return false;
        }
        int count = row.entryCount();
        for (int i = 0; i < count; i++) {
            long seconds = row.localDeletionTimeSeconds(i);
            if (seconds != DeletionTime.NO_DELETION_TIME
                    && (isPurgeable(row, i, seconds)
                            || row.isExpiring(i) && rule.isExpired(row.timestampMicros(i), seconds))) {
                return true;
            }
        }
        return false;
    }

    private boolean isDeletionPurgeable(Row row) {
        return row.hasDeletion() && rule.isPurgeable(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
    }

    private boolean isLivenessPurgeable(Row row) {
        return row.livenessTtlSeconds() != Row.NO_TTL
                && rule.isPurgeable(row.livenessTimestampMicros(), row.livenessExpirySeconds());
    }

    private boolean isPurgeable(Row row, int i, long seconds) {
        // The tombstone of a counter hides younger cells too (rule 5).
        boolean[] counters = row.isStatic() ? staticCounters : regularCounters;
        return rule.isPurgeable(counters[row.columnIndex(i)] ? Long.MAX_VALUE : row.timestampMicros(i), seconds);
    }

    /**
     * Fills {@code out} with the view and returns true; or returns false when the view is the row itself, {@code out}
     * being left alone. A view that {@linkplain Row#isEmpty() is empty} does not exist.
     */
    public boolean purge(Row row, Row out) {
        if (!changes(row)) {
            return false;
        }
        out.clear(row.isStatic());
        out.clustering().wrap(row.clustering());
        if (row.hasLiveness() && !isLivenessPurgeable(row)) {
            out.liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        }
        if (row.hasDeletion() && !isDeletionPurgeable(row)) {
            out.deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), row.isDeletionShadowable());
        }
        int count = row.entryCount();
        for (int i = 0; i < count; i++) {
            purgeEntry(row, i, out);
        }
        return true;
    }

    private void purgeEntry(Row row, int i, Row out) {
        long seconds = row.localDeletionTimeSeconds(i);
        if (seconds == DeletionTime.NO_DELETION_TIME) {
            out.addEntryOf(row, i);
            return;
        }
        if (isPurgeable(row, i, seconds)) {
            return;
        }
        if (!row.isExpiring(i) || !rule.isExpired(row.timestampMicros(i), seconds)) {
            out.addEntryOf(row, i);
            return;
        }
        long deletedSeconds = seconds - row.ttlSeconds(i);
        if (isPurgeable(row, i, deletedSeconds)) {
            return;
        }
        out.addCell(row.columnIndex(i), row.timestampMicros(i), Row.NO_TTL, deletedSeconds);
        out.path(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
    }
}
