/**
 * What all on-disk formats share: rows and how they are coded, chunks and their checksums, and the components that describe
 * them; one reader, cursor, writer and verifier, which a format completes with its version and its index. May import
 * sstable and what lies below it. Imported by the formats only. Readers are immutable and shared; cursors, windows and
 * writers belong to one thread.
 *
 * <p>Numbers are big-endian but where it says otherwise; {@code vint} is unsigned, {@code svint} zig-zag, {@code utf} a
 * string with a {@code short} length before it, {@code bytes<vint>} bytes with their length before them, {@code [x]} is
 * present as the flags say. What differs by version says so: {@code ma} to {@code me} is Cassandra 3.x, {@code na} and
 * {@code nb} 4.x, {@code oa} and {@code da} 5.0. Read out of Cassandra 5.0's {@code db.rows.UnfilteredSerializer}, {@code db.ClusteringPrefix},
 * {@code io.sstable.metadata} and {@code io.compress}.
 *
 * <p><b>Data.db</b>, uncompressed:
 *
 * <pre>
 *   data       := partition*                        by token, then unsigned key bytes
 *   partition  := bytes&lt;short&gt; key, deletionTime, [static row], (row | marker)*, byte 0x01
 *                                                   the static row iff the header has static columns
 *   deletionTime := up to nb: int localSeconds, long micros      none: 0x7fffffff, 0x8000000000000000
 *                 | since oa: long micros, int localSeconds      none: the byte 0x80 alone; localSeconds unsigned
 *   row        := byte flags, [byte extended], clustering, vint size, vint previousSize, body
 *                                                   size counts what follows it; no clustering in a static row
 *   flags      := 01 end, 02 marker, 04 timestamp, 08 TTL, 10 deletion, 20 all columns, 40 complex deletion, 80 extended
 *   extended   := 01 static, 02 shadowable deletion
 *   clustering := per 32 components: vint bits (2 each: 1 empty, 2 null), then each value that is neither
 *   value      := bytes of the type's fixed length, or bytes&lt;vint&gt;
 *   body       := [timestamp], [ttl, localTime], [deletion], [columns], (cell | complex)*     in the header's order
 *   timestamp  := vint less the header's minimum; so are ttl and localTime, differences of 32 bits, sign-extended
 *                                                   localTime is signed up to nb and unsigned since oa
 *   deletion   := timestamp, localTime
 *   columns    := of fewer than 64 columns: vint bitmap of those missing
 *               | vint missing, then vint index of each that is present, if they are fewer than half, else missing
 *   complex    := [deletion], vint count, cell*     the deletion in all complex columns of the row or in none
 *   cell       := byte cellFlags, [timestamp], [localTime], [ttl], [bytes&lt;vint&gt; path], [value]
 *   cellFlags  := 01 deleted, 02 expiring, 04 empty value, 08 timestamp of the row, 10 TTL and expiry of the row
 *   marker     := byte 0x02, byte kind, short components, clustering, vint size, vint previousSize,
 *                 deletion                          of a boundary two: of the range that ends, of the one that begins
 *   kind       := 0 end before, 1 start before, 2 both before, 5 both after, 6 end after, 7 start after
 * </pre>
 *
 * <p>Compressed: per chunk the compressed bytes and their CRC32 in four bytes. LZ4: the uncompressed length in four
 * bytes, little-endian, then the block. A chunk that takes maxCompressedLength or more is stored as it is; a last one
 * stored so that is shorter is padded with zeros up to it.
 *
 * <p><b>CompressionInfo.db</b>, iff compressed:
 *
 * <pre>
 *   utf compressor, int options, (utf name, utf value)*, int chunkLength, int maxCompressedLength since na, long dataLength,
 *   int chunks, (long offset)*
 * </pre>
 *
 * <p><b>CRC.db</b>, only if uncompressed, and left out by some writers: {@code int chunkLength, (int crc32)*}, one for each chunk
 * of the data.
 *
 * <p><b>Digest.crc32</b>: CRC32 of all of Data.db, checksums in it included, as decimal text.
 *
 * <p><b>TOC.txt</b>: the ends of the names of all files, TOC.txt too, each on a line.
 *
 * <p><b>Filter.db</b>, unless the false-positive chance is 1: {@code int hashes, int words, bytes} of eight a word; bit
 * {@code i} is bit {@code i % 8} of byte {@code i / 8}; up to {@code me} the bytes of each word are in reverse order.
 *
 * <p><b>Statistics.db</b>, with the checksums since {@code na}; a part may be longer than its content, with zeros:
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
 *   bin          := up to nb: double localSeconds, long count | since oa: long localSeconds, int count
 *   covered      := up to nb: int n, bytes&lt;short&gt;* minimal clustering, int n, bytes&lt;short&gt;* maximal clustering
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
package io.anneal.sstable.data;
