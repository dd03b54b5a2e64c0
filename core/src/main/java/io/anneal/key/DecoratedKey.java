package io.anneal.key;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/** A partition key with its token. Ordered by token, then unsigned key bytes. The array is not copied: do not write to it. */
public record DecoratedKey(long token, byte[] bytes) implements Comparable<DecoratedKey> {
    /** Of a component, and of all together. */
    public static final int LENGTH_MAX_BYTES = 0xFFFF;

    /** Decorates {@code key} with its Murmur3 token. */
    public static DecoratedKey of(byte[] key) {
        return new DecoratedKey(Murmur3.token(key, 0, key.length), key);
    }

    /**
     * The key whose columns have these values: of a single one its bytes; of several each with its length in two bytes before it and a
     * zero behind it, as Cassandra's {@code CompositeType} has them.
     *
     * @throws IllegalArgumentException when it is too long, or the only value is empty
     */
    public static DecoratedKey ofComponents(byte[]... values) {
        for (byte[] value : values) {
            if (value.length > LENGTH_MAX_BYTES || value.length == 0 && values.length == 1) {
                throw new IllegalArgumentException(
                        "value cannot be a partition key: empty, or longer than 65535 bytes, lengthBytes="
                                + value.length);
            }
        }
        if (values.length == 1) {
            return of(values[0]);
        }
        ByteArrayOutputStream composite = new ByteArrayOutputStream();
        for (byte[] value : values) {
            composite.write(value.length >>> Byte.SIZE);
            composite.write(value.length);
            composite.writeBytes(value);
            composite.write(0);
        }
        if (composite.size() > LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException("partition key is too long, lengthBytes=" + composite.size()
                    + ", lengthMaxBytes=" + LENGTH_MAX_BYTES);
        }
        return of(composite.toByteArray());
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
