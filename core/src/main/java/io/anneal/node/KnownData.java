package io.anneal.node;

import io.anneal.store.SSTables;

/**
 * What a replica's data is, where it is SSTables and nothing else, and where what is known of these is kept.
 *
 * @param tableId what tells its table from another of the same name, 32 hexadecimal digits
 * @param sstables open, of the replica
 */
public record KnownData(KeptDirectory kept, String tableId, SSTables sstables) {}
