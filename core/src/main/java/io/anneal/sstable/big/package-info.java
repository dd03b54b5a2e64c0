/**
 * Cassandra's BIG format: reading and writing of every component. May import sstable and what lies below it. Named by
 * store only. Readers are immutable and shared; cursors, windows and writers belong to one thread.
 */
package io.anneal.sstable.big;
