package io.anneal.merge;

import io.anneal.key.KeyView;
import io.anneal.schema.TableOptions;

/**
 * The two numbers that decide what is purged from the view that replicas compare (rules 9 and 10 of the canonical form). Both
 * come from the session, never from a clock, a replica's own settings or what else it holds: so all replicas decide alike.
 * Fit for views only, since what it purges may still hide something elsewhere.
 *
 * @param purgeTimeSeconds the session's time T, since 1970
 * @param gcGraceSeconds {@link TableOptions#GC_GRACE_UNKNOWN} when there is no schema text: then nothing is purgeable
 */
public record SessionPurgeRule(long purgeTimeSeconds, long gcGraceSeconds) implements PurgeRule {
    public SessionPurgeRule {
        if (gcGraceSeconds < 0 && gcGraceSeconds != TableOptions.GC_GRACE_UNKNOWN) {
            throw new IllegalArgumentException("gc_grace is negative, gcGraceSeconds=" + gcGraceSeconds);
        }
    }

    @Override
    public void startPartition(KeyView key) {
        // Every partition has the same rule.
    }

    /** Rule 10, whatever the timestamp. */
    @Override
    public boolean isPurgeable(long timestampMicros, long localDeletionTimeSeconds) {
        return gcGraceSeconds != TableOptions.GC_GRACE_UNKNOWN
                && localDeletionTimeSeconds < purgeTimeSeconds - gcGraceSeconds;
    }

    /** Rule 9, whatever the timestamp. */
    @Override
    public boolean isExpired(long timestampMicros, long expirySeconds) {
        return expirySeconds <= purgeTimeSeconds;
    }
}
