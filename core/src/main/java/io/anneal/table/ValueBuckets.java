package io.anneal.table;

/**
 * Buckets for values from 0 on, each an equal part of a power of two, as in HdrHistogram: a value is known to a sixteenth.
 *
 * <pre>
 *   value   0 .. 31          a bucket each
 *          32 .. 63          a bucket for 2
 *          64 .. 127         for 4, and so on: 16 buckets for every power of two
 * </pre>
 */
final class ValueBuckets {
    private static final int PART_BITS = 4;
    private static final int PARTS = 1 << PART_BITS;
    private static final int POWER_MAX = 41;

    /** Larger values count as this one: as nanoseconds, over half an hour. */
    static final long VALUE_MAX = (1L << POWER_MAX) - 1;

    static final int COUNT = (POWER_MAX - PART_BITS + 1) * PARTS;

    private ValueBuckets() {}

    static int indexOf(long value) {
        long bounded = Math.max(0, Math.min(value, VALUE_MAX));
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(bounded | 1) - PART_BITS);
        return shift * PARTS + (int) (bounded >>> shift);
    }

    /** The smallest value of a bucket. */
    static long smallest(int index) {
        int shift = Math.max(0, index / PARTS - 1);
        return (long) (index - shift * PARTS) << shift;
    }

    /** The largest value of a bucket. */
    static long largest(int index) {
        int shift = Math.max(0, index / PARTS - 1);
        return smallest(index) + (1L << shift) - 1;
    }
}
