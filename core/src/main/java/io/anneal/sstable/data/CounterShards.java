package io.anneal.sstable.data;

/**
 * The kinds of shards in a counter's value:
 *
 * <pre>
 *   value := short n, (short)*, shard*      of the |n| first shards: an index below 0 is a global one, another a local one
 *   shard := 16 bytes id, long clock, long count
 * </pre>
 *
 * Shards behind the first n are remote. Local and remote ones were made before Cassandra 2.1. Source: Cassandra's
 * {@code db.context.CounterContext}.
 */
final class CounterShards {
    private static final int SHARD_BYTES = 32;

    private CounterShards() {}

    /** Whether any shard is local or remote. */
    static boolean hasLegacy(byte[] buffer, int offset, int lengthBytes) {
        if (lengthBytes < Short.BYTES) {
            return false;
        }
        int known = Math.abs(readShort(buffer, offset));
        int headerBytes = Short.BYTES * (1 + known);
        if (headerBytes > lengthBytes) {
            return false;
        }
        if (known < (lengthBytes - headerBytes) / SHARD_BYTES) {
            return true;
        }
        for (int i = 1; i <= known; i++) {
            if (readShort(buffer, offset + Short.BYTES * i) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static int readShort(byte[] buffer, int offset) {
        return buffer[offset] << 8 | buffer[offset + 1] & 0xFF;
    }
}
