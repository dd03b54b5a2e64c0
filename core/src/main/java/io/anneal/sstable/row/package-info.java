/**
 * Rows as bytes and back: partition heads, clusterings, cells, range deletions, and the header that they are coded
 * relative to. May import sstable.file and what lies below it. Imported by sstable.statistics, sstable.data and the
 * formats. The header is immutable and shared; decoders, readers and encoders belong to one thread.
 *
 * <p>Numbers are big-endian but where it says otherwise; {@code vint} is unsigned, {@code svint} zig-zag, {@code utf} a
 * string with a {@code short} length before it, {@code bytes<vint>} bytes with their length before them, {@code [x]} is
 * present as the flags say. What differs by version says so: {@code ma} to {@code me} is Cassandra 3.x, {@code na} and
 * {@code nb} 4.x, {@code oa} and {@code da} 5.0. Read out of Cassandra 5.0's
 * {@code db.rows.UnfilteredSerializer} and {@code db.ClusteringPrefix}.
 *
 * <p><b>Data.db</b>, uncompressed:
 *
 * <pre>
 *   data       := partition*                        by token, then unsigned key bytes
 *   partition  := bytes&lt;short&gt; key, deletionTime, [static row], (row | marker)*, byte 0x01
 *                                                   the static row iff the header has static columns
 *   deletionTime := up to nc: int localSeconds, long micros      none: 0x7fffffff, 0x8000000000000000
 *                 | since oa: long micros, int localSeconds      none: the byte 0x80 alone; localSeconds unsigned
 *   row        := byte flags, [byte extended], clustering, vint size, vint previousSize, body
 *                                                   size counts what follows it; no clustering in a static row
 *   flags      := 01 end, 02 marker, 04 timestamp, 08 TTL, 10 deletion, 20 all columns, 40 complex deletion, 80 extended
 *   extended   := 01 static, 02 shadowable deletion
 *   clustering := per 32 components: vint bits (2 each: 1 empty, 2 null), then each value that is neither
 *   value      := bytes of the type's fixed length, or bytes&lt;vint&gt;
 *   body       := [timestamp], [ttl, localTime], [deletion], [columns], (cell | complex)*     in the header's order
 *   timestamp  := vint less the header's minimum; so are ttl and localTime, differences of 32 bits, sign-extended
 *                                                   localTime is signed up to nc and unsigned since oa
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
 */
package io.anneal.sstable.row;
