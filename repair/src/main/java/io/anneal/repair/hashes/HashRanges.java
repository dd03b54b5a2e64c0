package io.anneal.repair.hashes;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;

/** A set of the {@value #COUNT} equal ranges into which the upper bits cut the space of hashes. Immutable. */
public final class HashRanges {
    public static final int COUNT = 256;
    public static final HashRanges NONE = new HashRanges(new long[4]);
    public static final HashRanges ALL = new HashRanges(new long[] {-1, -1, -1, -1});

    private static final int SHIFT = Long.SIZE - 8;

    private final long[] bits;

    private HashRanges(long[] bits) {
        this.bits = bits;
    }

    static int rangeOf(long hash) {
        return (int) (hash >>> SHIFT);
    }

    /** Those at which the sums of two sets differ. */
    static HashRanges differing(int[] sums, int[] others) {
        long[] bits = new long[ALL.bits.length];
        for (int i = 0; i < COUNT; i++) {
            if (sums[i] != others[i]) {
                bits[i >>> 6] |= 1L << i;
            }
        }
        return new HashRanges(bits);
    }

    public HashRanges with(HashRanges other) {
        long[] either = bits.clone();
        for (int i = 0; i < either.length; i++) {
            either[i] |= other.bits[i];
        }
        return new HashRanges(either);
    }

    public int count() {
        int count = 0;
        for (long word : bits) {
            count += Long.bitCount(word);
        }
        return count;
    }

    public boolean isAll() {
        return count() == COUNT;
    }

    /** The hashes that lie here, in the order in which they come; the array itself if all may. */
    public long[] filter(long[] hashes) {
        if (isAll()) {
            return hashes;
        }
        long[] inside = new long[hashes.length];
        int count = 0;
        for (long hash : hashes) {
            int range = rangeOf(hash);
            inside[count] = hash;
            // Without a branch: which ranges differ is random.
            count += (int) (bits[range >>> 6] >>> range & 1);
        }
        return Arrays.copyOf(inside, count);
    }

    /** About how many ranges differ of two sets that differ in so many hashes. */
    public static int differing(long differences) {
        return (int) Math.ceil(COUNT * (1 - Math.exp(-(double) differences / COUNT)));
    }

    /** In about how many hashes two sets differ of which so many ranges do. */
    public static int differences(int differingRanges) {
        double equal = Math.max(0.5, COUNT - differingRanges) / COUNT;
        return (int) Math.ceil(-COUNT * Math.log(equal));
    }

    public void encode(ByteWriter out) {
        out.writeByte(isAll() ? 1 : 0);
        if (!isAll()) {
            for (long word : bits) {
                out.writeLong(word);
            }
        }
    }

    public static HashRanges decode(ByteReader in) {
        if (in.readByte() != 0) {
            return ALL;
        }
        return new HashRanges(new long[] {in.readLong(), in.readLong(), in.readLong(), in.readLong()});
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HashRanges ranges && Arrays.equals(bits, ranges.bits);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bits);
    }
}
