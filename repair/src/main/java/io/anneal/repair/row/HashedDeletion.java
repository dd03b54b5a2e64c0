package io.anneal.repair.row;

/**
 * A deletion of the window as it is exchanged.
 *
 * @param encoded the canonical item
 * @param hashed false for a ghost: purging hides it
 * @param high upper half of the hash
 * @param low lower half: the item in hash lists
 */
public record HashedDeletion(DeletionItem item, byte[] encoded, boolean hashed, long high, long low) {}
