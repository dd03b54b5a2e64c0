package io.anneal.merge;

/**
 * What purging left out.
 *
 * @param partitions of which nothing was left
 * @param rows of which nothing was left
 * @param cells tombstones, expired cells and deletions of whole collections
 * @param deletions of partitions, of rows, and steps of range deletions
 */
public record Purged(long partitions, long rows, long cells, long deletions) {
    public static final Purged NOTHING = new Purged(0, 0, 0, 0);
}
