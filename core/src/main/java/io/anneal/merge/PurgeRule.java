package io.anneal.merge;

import io.anneal.key.KeyView;

/**
 * Decides what is left out because nobody needs it any more. A {@link PurgeCursor} tells it the partition first and then
 * asks for what the partition holds. A rule that looks at the partition belongs to one thread.
 */
public interface PurgeRule {
    /**
     * What is asked from now on lies in this partition.
     *
     * @param key valid until the next call
     */
    void startPartition(KeyView key);

    /**
     * Whether a deletion, or what has expired, may go.
     *
     * @param timestampMicros what is older than this, or as old, may be hidden by it; {@link Long#MAX_VALUE} when whatever
     *     the partition holds may be
     * @param localDeletionTimeSeconds when it was deleted or expired, or {@link
     *     io.anneal.fragment.DeletionTime#NO_DELETION_TIME}: then the answer is no
     */
    boolean isPurgeable(long timestampMicros, long localDeletionTimeSeconds);

    /**
     * Whether a cell of this time counts as the tombstone that it leaves behind.
     *
     * @param expirySeconds when it expires
     */
    boolean isExpired(long timestampMicros, long expirySeconds);
}
