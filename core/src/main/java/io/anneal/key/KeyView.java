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

    private boolean isHashed;
    private long firstHash;
    private long secondHash;

    public KeyView wrap(long keyToken, byte[] keyBuffer, int keyOffset, int keyLength) {
        token = keyToken;
        // Nearly always the same array, and a comparison is cheaper than the collector's barrier at a store.
        if (buffer != keyBuffer) {
            buffer = keyBuffer;
        }
        offset = keyOffset;
        length = keyLength;
        isHashed = false;
        return this;
    }

    /** A key whose token is Murmur3's, which is computed with the rest of the hash. */
    public KeyView wrapMurmur3(byte[] keyBuffer, int keyOffset, int keyLength) {
        wrap(0, keyBuffer, keyOffset, keyLength);
        token = Murmur3.token(Murmur3.hash(keyBuffer, keyOffset, keyLength, this), keyLength);
        return this;
    }

    public KeyView wrap(DecoratedKey key) {
        return wrap(key.token(), key.bytes(), 0, key.bytes().length);
    }

    public KeyView wrap(KeyView other) {
        wrap(other.token, other.buffer, other.offset, other.length);
        firstHash = other.firstHash;
        secondHash = other.secondHash;
        isHashed = other.isHashed;
        return this;
    }

    void hashed(long first, long second) {
        firstHash = first;
        secondHash = second;
        isHashed = true;
    }

    /** First 64 bits of the key's Murmur3 hash, whatever the partitioner: for bloom filters. */
    public long firstHash() {
        hash();
        return firstHash;
    }

    /** Last 64 bits of it. */
    public long secondHash() {
        hash();
        return secondHash;
    }

    /** Once for all that ask. */
    private void hash() {
        if (!isHashed) {
            Murmur3.hash(buffer, offset, length, this);
        }
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
