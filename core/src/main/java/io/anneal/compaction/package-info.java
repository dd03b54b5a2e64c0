/**
 * Compaction: which SSTables are rewritten together, and rewriting them through the one merge, purging what nobody needs any
 * more. Strategies are pure functions of what there is; a {@link io.anneal.compaction.Compaction} rewrites and hands back what
 * it wrote, and whoever keeps the live set swaps it in. May import sstable, merge and what lies below them; names no format.
 * Imported by table and store. A compaction runs on one thread, others may cancel it and look at its progress; everything
 * else is immutable.
 */
package io.anneal.compaction;
