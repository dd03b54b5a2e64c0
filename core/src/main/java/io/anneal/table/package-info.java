/**
 * One table as it lives in a store: its directory, the manifest that says which SSTables are live, its live set, and what is
 * counted and timed. May import memtable, commitlog, compaction and what lies below them; formats come in from outside.
 * Imported by store. Directories and manifests may be shared between threads: changes come one after the other.
 */
package io.anneal.table;
