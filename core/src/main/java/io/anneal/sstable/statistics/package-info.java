/**
 * Statistics.db: what is gathered while an SSTable is written, the file written and read. May import sstable.row and
 * what lies below it. Imported by sstable.data. What was read is immutable; a collector belongs to one thread.
 *
 * <p>The words of the grammar are those of sstable.row. Read out of Cassandra 5.0's {@code io.sstable.metadata}.
 *
 * <p><b>Statistics.db</b>, with the checksums since {@code na}; a part may be longer than its content, with zeros,
 * and {@code stats} of {@code nc} with what nobody reads:
 *
 * <pre>
 *   int parts, crc, (int type, int position)*, crc, (part, crc)*     the second crc is over both runs
 *   validation 0 := utf partitioner, double filterFpChance
 *   compaction 1 := bytes&lt;int&gt; of a cardinality estimator
 *   stats 2      := histogram partitionSizes, histogram cellsPerPartition, logPosition upper,
 *                   long minMicros, long maxMicros, int minLocal, int maxLocal, int minTtl, int maxTtl, double ratio,
 *                   int binsMax, int bins, bin*, int level, long repairedAtMillis, covered,
 *                   byte legacyCounters, long columnsSet, long rows, logPosition lower since mb,
 *                   int n, (logPosition from, logPosition to)* since mc, byte pending, [uuid], byte transient since na,
 *                   byte host, [uuid] of me and since nb,
 *                   byte partitionDeletions, bytes&lt;vint&gt; firstKey, bytes&lt;vint&gt; lastKey, double coverage since oa
 *   bin          := up to nc: double localSeconds, long count | since oa: long localSeconds, int count
 *   covered      := up to nc: int n, bytes&lt;short&gt;* minimal clustering, int n, bytes&lt;short&gt;* maximal clustering
 *                                                   not to be trusted before md
 *                 | since oa: vint n, type* clusterings, bound start, bound end
 *   bound        := byte kind, short components, clustering
 *   header 3     := vint minTimestamp, vint minLocal, vint minTtl   less 22 September 2015, 0:00 UTC; TTL less 0
 *                   type key, vint n, type* clusterings, columns statics, columns regulars
 *   columns      := vint n, (bytes&lt;vint&gt; name, type)*              simple before complex, then by name
 *   type         := bytes&lt;vint&gt; class name
 *   histogram    := int buckets, (long offset, long count)*
 *   logPosition  := long segment, int offset
 * </pre>
 */
package io.anneal.sstable.statistics;
