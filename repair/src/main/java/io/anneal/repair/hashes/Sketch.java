package io.anneal.repair.hashes;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;

/**
 * A slice of the endless sequence of symbols that stands for a set of hashes: a rateless IBLT (Yang, Gilad, Alizadeh,
 * "Practical Rateless Set Reconciliation", 2024). Symbol i is the sum of those hashes that it holds, each with
 * probability 1 / (1 + i/2), and the sum of their checks. The difference of two sets' symbols is that of the hashes in
 * which they differ, so that {@link SketchDecoder} needs about 1.4 symbols for each of those, however large the sets.
 *
 * <p>Sums, not exclusive ors: a hash that is there twice does not vanish, and the sign tells whose it is, so that there
 * is no count. Which symbols hold a hash follows from the hash alone.
 */
public final class Sketch {
    public static final int SYMBOL_BYTES = Long.BYTES + Integer.BYTES;

    /** More symbols than any window needs: from there on the list is shorter. */
    public static final int SYMBOLS_MAX = 1 << 20;

    /** A factor of 1 in the fixed point of {@link #FACTORS}. */
    private static final int ONE_BITS = 20;

    private static final int FACTOR_BITS = 10;
    private static final int FRACTION_BITS = 16;
    /**
     * 1 / sqrt(u) at equal steps of u from 0 to 1: the value above, how much less it is one step on below. Where u is 0
     * the value is that of a quarter step.
     */
    private static final long[] FACTORS = factors();

    private final int first;
    private int end;
    private long[] sums;
    private int[] checks;

    private Sketch(int first, int end) {
        requireSlice(first, end);
        this.first = first;
        this.end = end;
        sums = new long[end - first];
        checks = new int[end - first];
    }

    /** @throws IllegalArgumentException when there is no such slice */
    public static void requireSlice(int first, int end) {
        if (first < 0 || end < first || end > SYMBOLS_MAX) {
            throw new IllegalArgumentException("no slice of a sketch, first=" + first + ", end=" + end);
        }
    }

    private static long[] factors() {
        int steps = 1 << FACTOR_BITS;
        long[] values = new long[steps + 1];
        for (int i = 0; i <= steps; i++) {
            values[i] = (long) ((1 << ONE_BITS) / Math.sqrt(Math.max(0.25, i) / steps));
        }
        long[] factors = new long[steps];
        for (int i = 0; i < steps; i++) {
            factors[i] = values[i] << Integer.SIZE | (values[i] - values[i + 1]);
        }
        return factors;
    }

    /** What tells a single hash from a sum of several: not linear in it. */
    static int check(long hash) {
        long mixed = hash * 0x9E3779B97F4A7C15L;
        mixed ^= mixed >>> 29;
        return (int) (mixed * 0xBF58476D1CE4E5B9L >>> Integer.SIZE);
    }

    /** The random state behind the one by which the last symbol was found; the first one is the hash itself. */
    static long nextState(long state) {
        return state * 0xD1342543DE82EF95L + 0x2545F4914F6CDD1DL;
    }

    /**
     * The next symbol that holds a hash. Between i and j there is none with probability (i+1)(i+2) / ((j+1)(j+2)), about
     * ((i + 3/2) / (j + 3/2))^2: so j is, of a random u, about (i + 3/2) / sqrt(u) - 3/2, rounded up.
     */
    static int nextIndex(int index, long state) {
        long factor = FACTORS[(int) (state >>> (Long.SIZE - FACTOR_BITS))];
        long fraction = state >>> (Long.SIZE - FACTOR_BITS - FRACTION_BITS) & ((1 << FRACTION_BITS) - 1);
        long value = (factor >>> Integer.SIZE) - ((factor & 0xFFFFFFFFL) * fraction >>> FRACTION_BITS);
        return (int) ((2L * index + 3) * value - (1 << ONE_BITS) >> (ONE_BITS + 1));
    }

    /** The symbols from {@code first} on, up to {@code end}, of a set. */
    public static Sketch of(long[] hashes, int first, int end) {
        Sketch sketch = new Sketch(first, end);
        sketch.add(hashes, first);
        return sketch;
    }

    /** Goes on with the same set: a slice of its own, behind this one. */
    public void extend(long[] hashes, int newEnd) {
        if (newEnd > end) {
            int oldEnd = end;
            sums = Arrays.copyOf(sums, newEnd - first);
            checks = Arrays.copyOf(checks, newEnd - first);
            end = newEnd;
            add(hashes, oldEnd);
        }
    }

    private void add(long[] hashes, int from) {
        long[] hashSums = sums;
        int[] checkSums = checks;
        int start = first;
        int to = end;
        for (long hash : hashes) {
            long state = hash;
            int index = 0;
            while (index < from) {
                index = nextIndex(index, state);
                state = nextState(state);
            }
            if (index >= to) {
                continue;
            }
            int check = check(hash);
            do {
                hashSums[index - start] += hash;
                checkSums[index - start] += check;
                index = nextIndex(index, state);
                state = nextState(state);
            } while (index < to);
        }
    }

    /** The first symbol's index. */
    public int first() {
        return first;
    }

    /** The index behind the last symbol. */
    public int end() {
        return end;
    }

    long sum(int index) {
        return sums[index - first];
    }

    int check(int index) {
        return checks[index - first];
    }

    public void encode(ByteWriter out) {
        out.ensure(sums.length * SYMBOL_BYTES);
        for (int i = 0; i < sums.length; i++) {
            out.writeLong(sums[i]);
            out.writeInt(checks[i]);
        }
    }

    /** @throws IllegalArgumentException when there are fewer bytes than so many symbols have: nothing is allocated then */
    public static Sketch decode(ByteReader in, int first, int end) {
        if (in.remainingBytes() < (long) SYMBOL_BYTES * (end - first)) {
            throw new IllegalArgumentException(
                    "sketch is cut short, symbols=" + (end - first) + ", lengthBytes=" + in.remainingBytes());
        }
        Sketch sketch = new Sketch(first, end);
        for (int i = 0; i < end - first; i++) {
            sketch.sums[i] = in.readLong();
            sketch.checks[i] = in.readInt();
        }
        return sketch;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sketch that
                && first == that.first
                && Arrays.equals(sums, that.sums)
                && Arrays.equals(checks, that.checks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sums);
    }
}
