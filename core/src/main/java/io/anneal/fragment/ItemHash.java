package io.anneal.fragment;

import java.nio.ByteBuffer;
import net.openhft.hashing.Access;
import net.openhft.hashing.LongTupleHashFunction;

/**
 * XXH3-128 of an item's bytes under the session's seed. The low half identifies the item in set reconciliation; the
 * whole goes into a {@link HashSum}. Keeps the last result; allocates nothing. Owned by one thread.
 */
public final class ItemHash {
    private final LongTupleHashFunction function;
    private final long[] result = new long[2];

    public ItemHash(long seed) {
        function = LongTupleHashFunction.xx128(seed);
    }

    /** Hashes the bytes; {@link #low()} and {@link #high()} are theirs until the next call. */
    public void hash(byte[] buffer, int offset, int lengthBytes) {
        function.hashBytes(buffer, offset, lengthBytes, result);
    }

    /** Hashes all that is left in the buffer, of which nothing is taken. */
    public void hash(ByteBuffer item) {
        function.hash(item, Access.toByteBuffer(), item.position(), item.remaining(), result);
    }

    public void hash(EncodedItem item) {
        hash(item.buffer(), item.offset(), item.lengthBytes());
    }

    /** Low 64 bits: the item's hash in set reconciliation. */
    public long low() {
        return result[0];
    }

    public long high() {
        return result[1];
    }
}
