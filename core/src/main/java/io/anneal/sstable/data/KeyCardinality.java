package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;

/**
 * An estimate of the number of distinct keys that Cassandra can join with those of other SSTables: a HyperLogLog++ of 2^13
 * registers of five bits, six to a word, in its dense form (Heule, Nunkesser and Hall, 2013; layout of stream-lib 2.5).
 * Keys are hashed by Cassandra's MurmurHash2 of 64 bits, whose tail bytes are sign-extended.
 */
final class KeyCardinality {
    private static final int PRECISION = 13;
    private static final int SPARSE_PRECISION = 25;
    private static final int REGISTER_BITS = 5;
    private static final int RANK_MAX = (1 << REGISTER_BITS) - 1;
    private static final int REGISTERS_PER_WORD = 6;
    private static final int WORDS = (1 << PRECISION) / REGISTERS_PER_WORD + 1;
    private static final int LAYOUT_VERSION = -2;
    private static final int DENSE = 0;
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
            long word = 0;
            for (int i = 7; i >= 0; i--) {
                word = word << 8 | key[at + i] & 0xFF;
            }
            word *= MULTIPLIER;
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
