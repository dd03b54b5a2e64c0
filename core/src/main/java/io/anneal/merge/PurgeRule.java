package io.anneal.merge;

import io.anneal.schema.TableOptions;

/**
 * The two numbers that decide what is purged from the hashed view (rules 9 and 10 of the canonical form). Both come from
 * the session, never from a clock or a replica's own settings.
 *
 * @param purgeTimeSeconds the session's time T, since 1970
 * @param gcGraceSeconds {@link TableOptions#GC_GRACE_UNKNOWN} when there is no schema text: then nothing is purgeable
 */
public record PurgeRule(long purgeTimeSeconds, long gcGraceSeconds) {
    public PurgeRule {
        if (gcGraceSeconds < 0 && gcGraceSeconds != TableOptions.GC_GRACE_UNKNOWN) {
            throw new IllegalArgumentException("gc_grace is negative, gcGraceSeconds=" + gcGraceSeconds);
        }
    }

    /** Rule 10: whether what was deleted, or expired, at this time is gone from the view. */
    public boolean isPurgeable(long localDeletionTimeSeconds) {
        return gcGraceSeconds != TableOptions.GC_GRACE_UNKNOWN
                && localDeletionTimeSeconds < purgeTimeSeconds - gcGraceSeconds;
    }

    /** Whether what expires at this time has expired. */
    public boolean isExpired(long expirySeconds) {
        return expirySeconds <= purgeTimeSeconds;
    }
}
