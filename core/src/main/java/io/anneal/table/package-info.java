/**
 * The engine of a store: its tables while they are open, each with its directory, manifest and live set; the way of a write
 * through commit log and shard to a memtable, of a memtable to an SSTable, of SSTables through compaction; and recovery. May
 * import memtable, commitlog, compaction, metrics and what lies below them; formats come in from outside. Imported by store and paging.
 * The commit log and each shard have a thread of their own; reads run on the caller's, without a lock.
 */
package io.anneal.table;
