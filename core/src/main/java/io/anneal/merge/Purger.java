package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;

/**
 * The view of a normalised row that is hashed: rules 9 and 10 of the canonical form. First an expiring cell that has
 * expired is dropped if its expiry is purgeable, else it becomes the tombstone that its writer would have left ({@code
 * ldt - ttl}), which is dropped in turn if purgeable; then tombstones, deletions and expired liveness go by their own
 * times. Must see a row after the merge and the clamp, or what is purged could have shadowed something. Allocates
 * nothing. Safe to share.
 */
public final class Purger {
    private final PurgeRule rule;

    public Purger(PurgeRule rule) {
        this.rule = rule;
    }

    public PurgeRule rule() {
        return rule;
    }

    /** Whether the view differs from the row: mostly it does not, and the row's own bytes can be hashed. */
    public boolean changes(Row row) {
        if (row.hasDeletion() && rule.isPurgeable(row.deletionLocalTimeSeconds()) || isLivenessPurgeable(row)) {
            return true;
        }
        int count = row.entryCount();
        for (int i = 0; i < count; i++) {
            long seconds = row.localDeletionTimeSeconds(i);
            if (seconds != DeletionTime.NO_DELETION_TIME
                    && (rule.isPurgeable(seconds) || row.isExpiring(i) && rule.isExpired(seconds))) {
                return true;
            }
        }
        return false;
    }

    private boolean isLivenessPurgeable(Row row) {
        return row.livenessTtlSeconds() != Row.NO_TTL && rule.isPurgeable(row.livenessExpirySeconds());
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
        if (row.hasDeletion() && !rule.isPurgeable(row.deletionLocalTimeSeconds())) {
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
        if (rule.isPurgeable(seconds)) {
            return;
        }
        if (!row.isExpiring(i) || !rule.isExpired(seconds)) {
            out.addEntryOf(row, i);
            return;
        }
        long deletedSeconds = seconds - row.ttlSeconds(i);
        if (rule.isPurgeable(deletedSeconds)) {
            return;
        }
        out.addCell(row.columnIndex(i), row.timestampMicros(i), Row.NO_TTL, deletedSeconds);
        out.path(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
    }
}
