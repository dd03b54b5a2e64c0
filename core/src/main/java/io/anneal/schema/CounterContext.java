package io.anneal.schema;

import java.nio.ByteBuffer;
import java.util.UUID;

/** Makes counter cells' values; {@link CounterShards} reads them. */
public final class CounterContext {
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
        byte[] context = new byte[CounterShards.lengthBytes(1, 1)];
        int at = CounterShards.writeGlobalHeader(1, context, 0);
        ByteBuffer.wrap(context)
                .position(at)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .putLong(clock)
                .putLong(count);
        return context;
    }
}
