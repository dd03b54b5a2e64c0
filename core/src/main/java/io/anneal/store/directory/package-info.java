/**
 * Where the files of tables are, and which of them count: the directory of a store with its lock and its file {@code STORE},
 * Cassandra's data directories and snapshots (transaction logs honoured, nothing written), staging directories; and the formats
 * that SSTables have. The only package that names a concrete format. May import table and what lies below it. Imported by store
 * and what lies above it. What is found may be shared between threads.
 */
package io.anneal.store.directory;
