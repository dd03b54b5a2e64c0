/**
 * Cassandra's BTI format: its index, the tries Partitions and Rows, read, checked and written. May import sstable.data and
 * what lies below it. Named by store only. An open index is shared; lookups, verifiers and writers belong to one thread.
 */
package io.anneal.sstable.bti;
