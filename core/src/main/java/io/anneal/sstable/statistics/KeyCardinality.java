package io.anneal.sstable.statistics;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.row.MalformedRowException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/**
 * An estimate of the number of distinct keys that Cassandra can join with those of other SSTables: a HyperLogLog++ of 2^13
 * registers of five bits, six to a word, in its dense form (Heule, Nunkesser and Hall, 2013; layout of stream-lib 2.5).
 * Keys are hashed by Cassandra's MurmurHash2 of 64 bits, whose tail bytes are sign-extended.
 */
final class KeyCardinality {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int PRECISION = 13;
    private static final int SPARSE_PRECISION = 25;
    private static final int REGISTER_BITS = 5;
    private static final int RANK_MAX = (1 << REGISTER_BITS) - 1;
    private static final int REGISTERS_PER_WORD = 6;
    private static final int WORDS = (1 << PRECISION) / REGISTERS_PER_WORD + 1;
    private static final int LAYOUT_VERSION = -2;
    private static final int DENSE = 0;
    private static final int SPARSE = 1;
    private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;
    private static final int SHIFT = 47;

    private final int[] words = new int[WORDS];

    void add(byte[] key, int offset, int lengthBytes) {
        long hash = hash(key, offset, lengthBytes);
        int register = (int) (hash >>> (Long.SIZE - PRECISION));
        int rank = Math.min(RANK_MAX, Long.numberOfLeadingZeros((hash << PRECISION) | (1L << (PRECISION - 1))) + 1);
        int word = register / REGISTERS_PER_WORD;
        int shift = REGISTER_BITS * (register % REGISTERS_PER_WORD);
        int mask = RANK_MAX << shift;
        if (rank << shift > (words[word] & mask)) {
            words[word] = words[word] & ~mask | rank << shift;
        }
    }

    private static long hash(byte[] key, int offset, int length) {
        long hash = MULTIPLIER * length;
        int wordsEnd = offset + (length & ~7);
        for (int at = offset; at < wordsEnd; at += 8) {
            long word = (long) LONG.get(key, at) * MULTIPLIER;
            word ^= word >>> SHIFT;
            hash ^= word * MULTIPLIER;
            hash *= MULTIPLIER;
        }
        int tail = length & 7;
        if (tail > 0) {
            for (int i = tail - 1; i >= 0; i--) {
                hash ^= (long) key[wordsEnd + i] << (8 * i);
            }
            hash *= MULTIPLIER;
        }
        hash ^= hash >>> SHIFT;
        hash *= MULTIPLIER;
        return hash ^ (hash >>> SHIFT);
    }

    /**
     * Reads an estimator and says how many keys it has seen; empty when its layout is not known. Its sparse form counts by
     * how many of 2^25 places are free, its dense one as Ertl does ("New cardinality estimation algorithms for HyperLogLog
     * sketches", 2017), which needs no tables and differs from Cassandra's estimate within the error of either.
     */
    static OptionalLong estimate(ByteReader in) {
        int lengthBytes = in.readInt();
        ByteReader part = new ByteReader().wrap(in.array(), in.skip(lengthBytes), lengthBytes);
        if (part.readInt() != LAYOUT_VERSION || readVarint(part) != PRECISION) {
            return OptionalLong.empty();
        }
        int sparsePrecision = readVarint(part);
        int form = readVarint(part);
        int count = readVarint(part);
        if (form == SPARSE && sparsePrecision == SPARSE_PRECISION) {
            long places = 1L << SPARSE_PRECISION;
            return count < 0 || count > part.remainingBytes()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.round(places * Math.log((double) places / (places - count))));
        }
        return form == DENSE && count == WORDS * Integer.BYTES && part.remainingBytes() >= count
                ? OptionalLong.of(denseEstimate(part))
                : OptionalLong.empty();
    }

    private static long denseEstimate(ByteReader words) {
        int[] registersByRank = new int[RANK_MAX + 1];
        int word = 0;
        for (int i = 0; i < 1 << PRECISION; i++) {
            if (i % REGISTERS_PER_WORD == 0) {
                word = words.readInt();
            }
            registersByRank[word >>> (REGISTER_BITS * (i % REGISTERS_PER_WORD)) & RANK_MAX]++;
        }
        double registers = 1 << PRECISION;
        double z = registers * tau(1 - registersByRank[RANK_MAX] / registers);
        for (int rank = RANK_MAX - 1; rank > 0; rank--) {
            z = (z + registersByRank[rank]) / 2;
        }
        z += registers * sigma(registersByRank[0] / registers);
        return Math.round(registers * registers / (2 * Math.log(2) * z));
    }

    /** The sum of {@code x^(2^k) * 2^(k-1)}, and {@code x}, which counts the registers that saw nothing. */
    private static double sigma(double x) {
        if (x == 1) {
            return Double.POSITIVE_INFINITY;
        }
        double power = x;
        double factor = 1;
        double sum = x;
        double previous;
        do {
            power *= power;
            previous = sum;
            sum += power * factor;
            factor += factor;
        } while (sum != previous);
        return sum;
    }

    /** The same for the registers that are full. */
    private static double tau(double x) {
        if (x == 0 || x == 1) {
            return 0;
        }
        double root = x;
        double factor = 1;
        double rest = 1 - x;
        double previous;
        do {
            root = Math.sqrt(root);
            previous = rest;
            factor /= 2;
            rest -= (1 - root) * (1 - root) * factor;
        } while (rest != previous);
        return rest / 3;
    }

    private static int readVarint(ByteReader in) {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += 7) {
            int next = in.readUnsignedByte();
            value |= (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new MalformedRowException("number of the cardinality estimator takes more than 32 bits");
    }

    /** Writes the length of the estimator and the estimator. */
    void write(ByteWriter out) {
        int lengthAt = out.lengthBytes();
        out.writeInt(0);
        out.writeInt(LAYOUT_VERSION);
        writeVarint(PRECISION, out);
        writeVarint(SPARSE_PRECISION, out);
        writeVarint(DENSE, out);
        writeVarint(WORDS * Integer.BYTES, out);
        for (int word : words) {
            out.writeInt(word);
        }
        out.setInt(lengthAt, out.lengthBytes() - lengthAt - Integer.BYTES);
    }

    /** Seven bits a byte, the lowest first: not Cassandra's variable-length integer. */
    private static void writeVarint(int value, ByteWriter out) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            out.writeByte(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }
}
