package io.anneal.key;

import java.util.Arrays;

/**
 * A partition key where it lies, with its token: a flyweight that its cursor re-points at every partition start.
 * Whoever keeps one longer calls {@link #toDecoratedKey()}.
 */
public final class KeyView {
    private static final byte[] NOTHING = new byte[0];

    private long token;
    private byte[] buffer = NOTHING;
    private int offset;
    private int length;

    public KeyView wrap(long keyToken, byte[] keyBuffer, int keyOffset, int keyLength) {
        token = keyToken;
        buffer = keyBuffer;
        offset = keyOffset;
        length = keyLength;
        return this;
    }

    public KeyView wrap(DecoratedKey key) {
        return wrap(key.token(), key.bytes(), 0, key.bytes().length);
    }

    public KeyView wrap(KeyView other) {
        return wrap(other.token, other.buffer, other.offset, other.length);
    }

    public long token() {
        return token;
    }

    public byte[] buffer() {
        return buffer;
    }

    public int offset() {
        return offset;
    }

    public int lengthBytes() {
        return length;
    }

    /** Order on the ring: token, then unsigned key bytes. */
    public int compareTo(KeyView other) {
        if (token != other.token) {
            return token < other.token ? -1 : 1;
        }
        return Arrays.compareUnsigned(
                buffer, offset, offset + length, other.buffer, other.offset, other.offset + other.length);
    }

    public boolean sameAs(KeyView other) {
        return token == other.token
                && Arrays.equals(
                        buffer, offset, offset + length, other.buffer, other.offset, other.offset + other.length);
    }

    public DecoratedKey toDecoratedKey() {
        return new DecoratedKey(token, Arrays.copyOfRange(buffer, offset, offset + length));
    }
}
