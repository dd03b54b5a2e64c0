package io.anneal.schema;

/**
 * The value of a counter cell, shard by shard: a view that is {@link #wrap wrapped} around a context and moved on with
 * {@link #next()}. A shard is what one node counted; a counter is the sum over its shards. Layout after Cassandra's
 * {@code CounterContext}, big-endian:
 *
 * <pre>
 *   0             2                      2 + 2n
 *   +-------------+----------------------+---------------------------------+------
 *   | n, signed 2 | index 2, n times     | counter id 16 | clock 8 | count 8 | ...
 *   +-------------+----------------------+---------------------------------+------
 *
 *   index &lt; 0     the shard at index + 32768 is global: written by Cassandra 2.1 and later
 *   index >= 0    the shard at index is local: a delta of Cassandra 2.0 and earlier, on the node that counted
 *   in no index   the shard is remote: of Cassandra 2.0 and earlier, on another node
 * </pre>
 *
 * <p>Indexes ascend with the shards, shards by unsigned id. A negative n has its amount of indexes, of which those of local
 * shards no longer count. Allocates nothing but exceptions. Owned by one thread.
 */
public final class CounterShards {
    /** What a shard is, the weaker first: of two with one id the stronger hides the other. */
    public enum Kind {
        REMOTE,
        LOCAL,
        GLOBAL
    }

    public static final int COUNT_BYTES = Short.BYTES;
    public static final int INDEX_BYTES = Short.BYTES;
    public static final int ID_BYTES = 16;
    public static final int SHARD_BYTES = ID_BYTES + 2 * Long.BYTES;
    /** An index has two bytes. */
    public static final int SHARDS_MAX = Short.MAX_VALUE;

    private static final int CLOCK_OFFSET = ID_BYTES;
    private static final int VALUE_OFFSET = ID_BYTES + Long.BYTES;

    private byte[] buffer;
    private int shardOffset;
    private int shardIndex;
    private int end;
    private int headerOffset;
    private int headerEnd;
    private boolean withoutLocal;
    private Kind kind;

    /**
     * Points in front of the first shard. An empty value counts as a context without shards.
     *
     * @throws InvalidValueException when the bytes are no whole context
     */
    public CounterShards wrap(byte[] context, int offset, int length) {
        int headerLength = length == 0 ? 0 : headerLengthBytes(context, offset, length);
        buffer = context;
        shardIndex = -1;
        headerOffset = offset + COUNT_BYTES;
        headerEnd = offset + headerLength;
        shardOffset = headerEnd - SHARD_BYTES;
        end = offset + length;
        withoutLocal = length > 0 && Bytes.shortAt(context, offset) < 0;
        kind = Kind.REMOTE;
        return this;
    }

    /** Points at one shard that lies outside a context; its kind is not known. */
    public CounterShards wrapShard(byte[] shard, int offset) {
        buffer = shard;
        shardOffset = offset;
        return this;
    }

    /** Adds to clock and count in place: what merging deltas does. */
    public void add(long clock, long count) {
        Bytes.longAt(buffer, shardOffset + CLOCK_OFFSET, clock() + clock);
        Bytes.longAt(buffer, shardOffset + VALUE_OFFSET, count() + count);
    }

    private static int headerLengthBytes(byte[] context, int offset, int length) {
        int headerLength = length < COUNT_BYTES ? COUNT_BYTES : COUNT_BYTES + INDEX_BYTES * indexCount(context, offset);
        if (length < headerLength || (length - headerLength) % SHARD_BYTES != 0) {
            throw invalid("no whole counter context", context, offset, length);
        }
        return headerLength;
    }

    private static int indexCount(byte[] context, int offset) {
        return Math.abs(Bytes.shortAt(context, offset));
    }

    private static InvalidValueException invalid(String what, byte[] context, int offset, int length) {
        return new InvalidValueException(
                what + ", type=counter, lengthBytes=" + length + ", value=" + Bytes.excerpt(context, offset, length));
    }

    /** Moves to the next shard; false when there is none. */
    public boolean next() {
        shardOffset += SHARD_BYTES;
        shardIndex++;
        if (shardOffset >= end) {
            return false;
        }
        kind = Kind.REMOTE;
        if (headerOffset < headerEnd) {
            int index = Bytes.shortAt(buffer, headerOffset);
            if (index == shardIndex + Short.MIN_VALUE) {
                kind = Kind.GLOBAL;
                headerOffset += INDEX_BYTES;
            } else if (index == shardIndex) {
                kind = withoutLocal ? Kind.REMOTE : Kind.LOCAL;
                headerOffset += INDEX_BYTES;
            }
        }
        return true;
    }

    /** How many shards the context has, wherever this stands. */
    public int shardCount() {
        return (end - headerEnd) / SHARD_BYTES;
    }

    public Kind kind() {
        return kind;
    }

    /** Where the shard lies in the context's buffer: id, clock, count. */
    public int offset() {
        return shardOffset;
    }

    public long clock() {
        return Bytes.longAt(buffer, shardOffset + CLOCK_OFFSET);
    }

    public long count() {
        return Bytes.longAt(buffer, shardOffset + VALUE_OFFSET);
    }

    /** Whether the shard behind this one must be written behind it: whether its id is the larger one. */
    private boolean ascendsFromLast() {
        return shardIndex == 0 || compareIds(buffer, shardOffset - SHARD_BYTES, buffer, shardOffset) < 0;
    }

    /** Unsigned order of the ids of two shards. */
    public static int compareIds(byte[] left, int leftOffset, byte[] right, int rightOffset) {
        return Bytes.compareUnsigned(left, leftOffset, ID_BYTES, right, rightOffset, ID_BYTES);
    }

    /**
     * Whether a context is as a merge would write it: shards ascending by id, each index in use, no mark to forget local
     * shards.
     */
    public boolean isNormal(byte[] context, int offset, int length) {
        wrap(context, offset, length);
        if (length == 0 || withoutLocal) {
            return false;
        }
        while (next()) {
            if (!ascendsFromLast()) {
                return false;
            }
        }
        return headerOffset == headerEnd;
    }

    /** Whether a context has shards of Cassandra 2.0 or earlier: local or remote ones. */
    public boolean hasLegacyShards(byte[] context, int offset, int length) {
        wrap(context, offset, length);
        while (next()) {
            if (kind != Kind.GLOBAL) {
                return true;
            }
        }
        return false;
    }

    /** What the counter shows: the sum of its counts, which wraps around as Cassandra's does. */
    public long total(byte[] context, int offset, int length) {
        wrap(context, offset, length);
        long total = 0;
        while (next()) {
            total += count();
        }
        return total;
    }

    /** @throws InvalidValueException when the bytes are no context that Cassandra writes */
    void validate(byte[] context, int offset, int length) {
        if (length == 0) {
            throw invalid("no whole counter context", context, offset, length);
        }
        wrap(context, offset, length);
        while (next()) {
            if (!ascendsFromLast()) {
                throw invalid("counter shards are out of order", context, offset, length);
            }
        }
        if (headerOffset != headerEnd) {
            throw invalid("counter context has an index without a shard", context, offset, length);
        }
    }

    /** How long a context is with so many shards, of which so many are global or local. */
    public static int lengthBytes(int shardCount, int indexCount) {
        return COUNT_BYTES + indexCount * INDEX_BYTES + shardCount * SHARD_BYTES;
    }

    /** Writes the header of a context whose shards are all global; returns where the shards begin. */
    public static int writeGlobalHeader(int shardCount, byte[] out, int offset) {
        assert shardCount <= SHARDS_MAX : shardCount;
        int at = writeShort(shardCount, out, offset);
        for (int i = 0; i < shardCount; i++) {
            at = writeIndex(i, Kind.GLOBAL, out, at);
        }
        return at;
    }

    /** Writes the number of global and local shards; returns where the indexes begin. */
    public static int writeIndexCount(int indexCount, byte[] out, int offset) {
        return writeShort(indexCount, out, offset);
    }

    /** Writes the index of a global or local shard; returns where the next one belongs. */
    public static int writeIndex(int shardIndex, Kind kind, byte[] out, int offset) {
        assert kind != Kind.REMOTE : shardIndex;
        return writeShort(kind == Kind.GLOBAL ? shardIndex + Short.MIN_VALUE : shardIndex, out, offset);
    }

    private static int writeShort(int value, byte[] out, int offset) {
        out[offset] = (byte) (value >> 8);
        out[offset + 1] = (byte) value;
        return offset + Short.BYTES;
    }
}
