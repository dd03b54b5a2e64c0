package io.anneal.repair.hashes;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;

/**
 * Hashes by their upper bits alone, in few bytes: sorted, each as its distance from the one before in a Golomb-Rice code. Of n
 * hashes that takes about {@code bits - log2(n) + 1.5} bits each. Immutable by agreement.
 *
 * @param bits how many of the upper bits tell a hash, 1 to 64
 * @param sorted these bits as numbers, ascending without a sign
 */
public record ShortHashes(int bits, long[] sorted) {
    /** So many bits more than it takes to count the hashes: then a few bytes cannot stand for very many. */
    private static final int SPARSE_BITS = 6;

    public ShortHashes {
        if (bits < 1 || bits > Long.SIZE) {
            throw new IllegalArgumentException("hash has not so many bits, bits=" + bits);
        }
        requireSparse(bits, sorted.length);
    }

    private static void requireSparse(int bits, int count) {
        if (plainBits(bits, count) < SPARSE_BITS) {
            throw new IllegalArgumentException("so many hashes need more bits, hashes=" + count + ", bits=" + bits);
        }
    }

    /** The upper bits of hashes in any order. */
    public static ShortHashes of(long[] hashes, int bits) {
        long[] upper = HashList.of(hashes).toArray();
        for (int i = 0; i < upper.length; i++) {
            upper[i] >>>= Long.SIZE - bits;
        }
        return new ShortHashes(bits, upper);
    }

    public int size() {
        return sorted.length;
    }

    /** Whether one of them has the upper bits of this hash. */
    public boolean contains(long hash) {
        long wanted = hash >>> Long.SIZE - bits;
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(sorted[middle], wanted) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < sorted.length && sorted[low] == wanted;
    }

    /** How many lower bits of a distance are written as they are: the rest is small then. */
    private static int plainBits(int bits, int count) {
        return Math.max(0, bits - (Integer.SIZE - Integer.numberOfLeadingZeros(count)));
    }

    public void encode(ByteWriter out) {
        out.writeByte(bits);
        out.writeUnsignedVInt(sorted.length);
        int plain = plainBits(bits, sorted.length);
        BitWriter writer = new BitWriter(out);
        long last = 0;
        for (long number : sorted) {
            long distance = number - last;
            for (long quotient = plain == Long.SIZE ? 0 : distance >>> plain; quotient > 0; quotient--) {
                writer.write(1, 1);
            }
            writer.write(0, 1);
            writer.write(distance, plain);
            last = number;
        }
        writer.flush();
    }

    /** @throws IllegalArgumentException when there are more than the bytes can hold, or larger ones than there can be */
    public static ShortHashes decode(ByteReader in) {
        int bits = in.readUnsignedByte();
        int count = in.readUnsignedVInt32();
        int plain = plainBits(bits, count);
        requireSparse(bits, count);
        if ((1L + plain) * count > (long) Byte.SIZE * in.remainingBytes()) {
            throw new IllegalArgumentException(
                    "more hashes than the bytes hold, hashes=" + count + ", bytes=" + in.remainingBytes());
        }
        BitReader reader = new BitReader(in);
        long[] sorted = new long[count];
        long last = 0;
        for (int i = 0; i < count; i++) {
            long quotient = 0;
            while (reader.read(1) == 1) {
                quotient++;
            }
            long rest = reader.read(plain);
            long number = last + (plain == Long.SIZE ? 0 : quotient << plain) + rest;
            if (Long.compareUnsigned(number, last) < 0 || bits < Long.SIZE && number >>> bits != 0) {
                throw new IllegalArgumentException("hash has too many bits, bits=" + bits);
            }
            sorted[i] = number;
            last = number;
        }
        return new ShortHashes(bits, sorted);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShortHashes that && bits == that.bits && Arrays.equals(sorted, that.sorted);
    }

    @Override
    public int hashCode() {
        return 31 * bits + Arrays.hashCode(sorted);
    }

    @Override
    public String toString() {
        return "ShortHashes[" + sorted.length + " of " + bits + " bits]";
    }

    private static final class BitWriter {
        private final ByteWriter out;
        private int held;
        private int heldBits;

        BitWriter(ByteWriter out) {
            this.out = out;
        }

        /** The lower bits of a number, the highest of them first. */
        void write(long number, int bits) {
            for (int i = bits - 1; i >= 0; i--) {
                held = held << 1 | (int) (number >>> i) & 1;
                if (++heldBits == Byte.SIZE) {
                    flush();
                }
            }
        }

        void flush() {
            if (heldBits > 0) {
                out.writeByte(held << Byte.SIZE - heldBits);
            }
            held = 0;
            heldBits = 0;
        }
    }

    private static final class BitReader {
        private final ByteReader in;
        private int held;
        private int heldBits;

        BitReader(ByteReader in) {
            this.in = in;
        }

        long read(int bits) {
            long number = 0;
            for (int i = 0; i < bits; i++) {
                if (heldBits == 0) {
                    held = in.readUnsignedByte();
                    heldBits = Byte.SIZE;
                }
                number = number << 1 | held >>> --heldBits & 1;
            }
            return number;
        }
    }
}
