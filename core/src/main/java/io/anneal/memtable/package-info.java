/**
 * Fragments from memory: what was written to one table and shard and is not flushed yet. One thread writes; any number of
 * threads read snapshots of it without locks. Rows lie encoded in pooled slabs, so that a memtable of any size is a few
 * hundred objects to the garbage collector. May import merge, fragment, key, schema, io. Imported by table, store.
 */
package io.anneal.memtable;
