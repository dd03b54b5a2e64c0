package io.anneal.schema;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A counter's value as cells hold it: shards, one for each node that counted, whose counts add up. After Cassandra's {@code
 * db.context.CounterContext}, big-endian:
 *
 * <pre>
 *   short headers, short header*              a global shard's number less 32768, or a local shard's number
 *   (16 bytes id, long clock, long count)*    ascending by id
 * </pre>
 */
public final class CounterContext {
    private static final int SHARD_LENGTH_BYTES = 32;
    private static final int COUNT_OFFSET = 24;

    private CounterContext() {}

    /**
     * A context of one global shard: the kind that Cassandra 2.1 and later writes. Of two shards of one id the one with the
     * higher clock counts, whole.
     *
     * @param id of the node that counted
     * @param clock how often it has written the counter
     * @param count what it has added up so far
     */
    public static byte[] global(UUID id, long clock, long count) {
        return ByteBuffer.allocate(2 * Short.BYTES + SHARD_LENGTH_BYTES)
                .putShort((short) 1)
                .putShort(Short.MIN_VALUE)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .putLong(clock)
                .putLong(count)
                .array();
    }

    /**
     * The counter's value: the sum over all shards.
     *
     * @throws InvalidValueException when the bytes are no whole context
     */
    public static long total(byte[] context, int offset, int length) {
        CqlTypes.COUNTER.validate(context, offset, length);
        int start = offset + Short.BYTES + Short.BYTES * Math.abs(Bytes.shortAt(context, offset));
        long total = 0;
        for (int at = start; at < offset + length; at += SHARD_LENGTH_BYTES) {
            total += Bytes.longAt(context, at + COUNT_OFFSET);
        }
        return total;
    }
}
