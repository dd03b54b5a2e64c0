package io.anneal.key;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Keys that have a token in common, which no two keys of a test have by chance: Murmur3 backwards. */
public final class SameTokenKeys {
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final int LENGTH = 16;

    private SameTokenKeys() {}

    /** In no order. */
    public static Stream<DecoratedKey> of(long token, int count) {
        return LongStream.range(0, count).mapToObj(second -> key(token, second));
    }

    /** The key of one block that has these two halves of the hash. */
    private static DecoratedKey key(long first, long second) {
        long mixed2 = second - first;
        long mixed1 = first - mixed2;
        long h2 = unmix(mixed2);
        long h1 = unmix(mixed1);
        h2 -= h1;
        h1 -= h2;
        h1 ^= LENGTH;
        h2 ^= LENGTH;
        long k2 = Long.rotateRight((h2 - 0x38495ab5) * inverse(5) - h1, 31);
        long k1 = Long.rotateRight((h1 - 0x52dce729) * inverse(5), 27);
        ByteBuffer key = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        key.putLong(Long.rotateRight(k1 * inverse(C2), 31) * inverse(C1));
        key.putLong(Long.rotateRight(k2 * inverse(C1), 33) * inverse(C2));
        return DecoratedKey.of(key.array());
    }

    private static long unmix(long mixed) {
        long k = mixed ^ mixed >>> 33;
        k *= inverse(0xc4ceb9fe1a85ec53L);
        k ^= k >>> 33;
        k *= inverse(0xff51afd7ed558ccdL);
        return k ^ k >>> 33;
    }

    /** Of an odd number modulo 2^64, by Newton's method: each step doubles the bits that are right. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int i = 0; i < 6; i++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
