package io.anneal.sstable.file;

import java.math.BigInteger;

/**
 * Which bits of a bloom filter are a key's: {@code |second + i * first| mod bits} over the two halves of its Murmur3 hash, as in
 * Cassandra 3.0 and later (Kirsch and Mitzenmacher). Immutable.
 */
final class FilterBits {
    private static final int PRODUCT_BITS = Long.SIZE - 2;

    private final long bitCount;
    /** The bit count's reciprocal, rounded down: a product takes a tenth of the time of a division. */
    private final long reciprocal;

    private final int shift;

    /** @param bitCount more than 1 */
    FilterBits(long bitCount) {
        this.bitCount = bitCount;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(bitCount - 1);
        reciprocal = BigInteger.ONE
                .shiftLeft(PRODUCT_BITS + bits)
                .divide(BigInteger.valueOf(bitCount))
                .longValueExact();
        shift = bits - 2;
    }

    /** The absolute value of {@code hash} modulo the number of bits. */
    long bit(long hash) {
        long dividend = Math.abs(hash);
        if (dividend < 0) {
            return Math.abs(hash % bitCount);
        }
        // The quotient, or one less.
        long quotient = Math.multiplyHigh(dividend, reciprocal) >>> shift;
        long rest = dividend - quotient * bitCount;
        return rest >= bitCount ? rest - bitCount : rest;
    }
}
