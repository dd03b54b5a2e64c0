/**
 * What all formats share above bytes and rows: one reader, cursors, one writer and one verifier, which a format
 * completes with its version and its index. The index is behind {@link io.anneal.sstable.data.PartitionIndex} and
 * the interfaces that it hands out. May import sstable.file, sstable.row, sstable.statistics and what lies below
 * them. Imported by the formats only. Readers are immutable and shared; cursors and writers belong to one thread.
 */
package io.anneal.sstable.data;
