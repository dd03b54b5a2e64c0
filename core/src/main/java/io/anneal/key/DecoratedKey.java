package io.anneal.key;

import java.util.Arrays;
import java.util.HexFormat;

/** A partition key with its token. Ordered by token, then unsigned key bytes. The array is not copied: do not write to it. */
public record DecoratedKey(long token, byte[] bytes) implements Comparable<DecoratedKey> {
    /** Decorates {@code key} with its Murmur3 token. */
    public static DecoratedKey of(byte[] key) {
        return new DecoratedKey(Murmur3.token(key, 0, key.length), key);
    }

    @Override
    public int compareTo(DecoratedKey other) {
        int byToken = Long.compare(token, other.token);
        return byToken != 0 ? byToken : Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DecoratedKey key && token == key.token && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(token);
    }

    @Override
    public String toString() {
        return token + ":" + HexFormat.of().formatHex(bytes);
    }
}
