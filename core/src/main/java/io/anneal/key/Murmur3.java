package io.anneal.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The token of Cassandra's Murmur3Partitioner: the first half of MurmurHash3 x64 128, seed 0, with Cassandra's deviation
 * that the bytes of the tail are sign-extended. The empty key's token is {@link Long#MIN_VALUE}; a computed hash equal
 * to that becomes {@link Long#MAX_VALUE}. Source: Austin Appleby's public-domain MurmurHash3.
 */
public final class Murmur3 {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final long EACH_BYTE = 0x0101010101010101L;

    private Murmur3() {}

    public static long token(byte[] key, int offset, int length) {
        return token(hash(key, offset, length, null), length);
    }

    /** The token of a key of whose hash this is the first half. */
    static long token(long firstHalf, int length) {
        if (length == 0) {
            return Long.MIN_VALUE;
        }
        return firstHalf == Long.MIN_VALUE ? Long.MAX_VALUE : firstHalf;
    }

    /**
     * Returns the first half of the hash.
     *
     * @param both gets both halves, unless it is null
     */
    static long hash(byte[] key, int offset, int length, KeyView both) {
        long h1 = 0;
        long h2 = 0;
        int blocksEnd = offset + (length & ~15);
        for (int at = offset; at < blocksEnd; at += 16) {
            h1 ^= mixFirst((long) LONG.get(key, at));
            h1 = Long.rotateLeft(h1, 27);
            h1 = (h1 + h2) * 5 + 0x52dce729;
            h2 ^= mixSecond((long) LONG.get(key, at + 8));
            h2 = Long.rotateLeft(h2, 31);
            h2 = (h2 + h1) * 5 + 0x38495ab5;
        }
        int tailLength = length & 15;
        if (tailLength > 8) {
            h2 ^= mixSecond(tail(key, blocksEnd + 8, tailLength - 8));
        }
        if (tailLength > 0) {
            h1 ^= mixFirst(tail(key, blocksEnd, Math.min(tailLength, 8)));
        }
        h1 ^= length;
        h2 ^= length;
        h1 += h2;
        h2 += h1;
        long mixed = finalMix(h2);
        long first = finalMix(h1) + mixed;
        if (both != null) {
            both.hashed(first, first + mixed);
        }
        return first;
    }

    /** Up to eight bytes, little-endian, each sign-extended before it is shifted: where Cassandra differs from the original. */
    static long tail(byte[] key, int from, int count) {
        if (count == Long.BYTES) {
            return extended((long) LONG.get(key, from));
        }
        long value = 0;
        for (int i = count - 1; i >= 0; i--) {
            value ^= ((long) key[from + i]) << (8 * i);
        }
        return value;
    }

    /** Eight bytes at once: each negative one flips all bits above it, so a byte stays where an even number lie below. */
    private static long extended(long bytes) {
        long negative = bytes >>> 7 & EACH_BYTE;
        long flipped = negative * (EACH_BYTE << Byte.SIZE) & EACH_BYTE;
        return bytes ^ flipped * 0xFF;
    }

    private static long mixFirst(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long mixSecond(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    /** Spreads what differs in any bits over all of them. */
    static long finalMix(long k) {
        k ^= k >>> 33;
        k *= 0xff51afd7ed558ccdL;
        k ^= k >>> 33;
        k *= 0xc4ceb9fe1a85ec53L;
        return k ^ (k >>> 33);
    }
}
