package io.anneal.repair.hashes;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;

/**
 * The hashes of a set summed by {@link HashRanges}, modulo 2^32. Two sets that differ in a range have different sums
 * there, but for one in four billion.
 */
public final class RangeSums {
    public static final int BYTES = HashRanges.COUNT * Integer.BYTES;

    private final int[] sums;

    private RangeSums(int[] sums) {
        this.sums = sums;
    }

    public static RangeSums of(long[] hashes) {
        int[] sums = new int[HashRanges.COUNT];
        for (long hash : hashes) {
            sums[HashRanges.rangeOf(hash)] += (int) hash;
        }
        return new RangeSums(sums);
    }

    /** The ranges in which the sets differ. */
    public HashRanges differing(RangeSums other) {
        return HashRanges.differing(sums, other.sums);
    }

    public void encode(ByteWriter out) {
        for (int sum : sums) {
            out.writeInt(sum);
        }
    }

    public static RangeSums decode(ByteReader in) {
        int[] sums = new int[HashRanges.COUNT];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = in.readInt();
        }
        return new RangeSums(sums);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RangeSums that && Arrays.equals(sums, that.sums);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sums);
    }
}
