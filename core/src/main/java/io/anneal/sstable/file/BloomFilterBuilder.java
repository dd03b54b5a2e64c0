package io.anneal.sstable.file;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.KeyView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The Filter component: a bloom filter over partition keys; {@link FilterBits} tells which bits are a key's. As long as keys are
 * few their hashes are kept, so that a filter of few keys is small, in memory and on the disk, however many were expected.
 */
public final class BloomFilterBuilder {
    private static final int BITS_PER_KEY_MAX = 20;
    private static final int BITS_PER_KEY_MIN = 2;
    private static final int EXCESS_BITS = 20;
    /** So many take half a mebibyte. */
    static final int KEPT_KEYS_MAX = 32 * 1024;
    /** Of the two thousand keys that most received SSTables have at most: nothing grows then. */
    private static final int KEPT_LONGS_FIRST = 4 * 1024;

    /** Two gigabytes. */
    private static final long BITS_MAX = 1L << 34;

    private static final int WRITE_WORDS = 8 * 1024;
    /** What a filter of {@link #BITS_PER_KEY_MAX} bits a key comes to. */
    private static final double CHANCE_MIN = 6.71e-5;
    /** Chances that differ by less are the same to Cassandra; so close to one it neither writes nor reads a filter. */
    private static final double CHANCE_TOLERANCE = 0.001;

    private final int hashCount;
    private final int bitsPerKey;
    private final long expectedKeys;
    /** Two hashes of each key, until there are too many. */
    private long[] kept = new long[KEPT_LONGS_FIRST];

    private int keptLongs;
    /** Null while hashes are kept. */
    private long[] words;

    private FilterBits bits;

    public BloomFilterBuilder(long expectedKeys, double falsePositiveChance) {
        int perKey = BITS_PER_KEY_MIN;
        while (perKey < BITS_PER_KEY_MAX && chance(perKey, bestHashCount(perKey)) > falsePositiveChance) {
            perKey++;
        }
        int hashes = bestHashCount(perKey);
        while (hashes > 1 && chance(perKey, hashes - 1) <= falsePositiveChance) {
            hashes--;
        }
        hashCount = hashes;
        bitsPerKey = perKey;
        this.expectedKeys = expectedKeys;
        if (wantedBits(expectedKeys) > BITS_MAX) {
            throw new IllegalArgumentException("filter would be too large, expectedKeys=" + expectedKeys
                    + ", falsePositiveChance=" + falsePositiveChance);
        }
    }

    private long wantedBits(long keys) {
        return Math.max(1, Math.min(BITS_MAX, keys)) * bitsPerKey + EXCESS_BITS;
    }

    /** @throws IllegalArgumentException when Cassandra takes it for none */
    public static void requireChance(double falsePositiveChance) {
        if (!(falsePositiveChance > CHANCE_MIN && falsePositiveChance <= 1)) {
            throw new IllegalArgumentException("option is no chance above " + CHANCE_MIN
                    + " and up to 1, option=bloom_filter_fp_chance, value=" + falsePositiveChance);
        }
    }

    /** Whether a table with this chance has a filter at all. */
    public static boolean isUseful(double falsePositiveChance) {
        return falsePositiveChance < 1 - CHANCE_TOLERANCE;
    }

    private static double chance(int bitsPerKey, int hashes) {
        return Math.pow(1 - Math.exp(-(double) hashes / bitsPerKey), hashes);
    }

    private static int bestHashCount(int bitsPerKey) {
        return Math.max(1, (int) Math.round(bitsPerKey * Math.log(2)));
    }

    public void add(KeyView key) {
        if (words != null) {
            set(key.firstHash(), key.secondHash());
            return;
        }
        if (keptLongs == 2 * KEPT_KEYS_MAX) {
            start(Math.max(expectedKeys, 2 * KEPT_KEYS_MAX));
            set(key.firstHash(), key.secondHash());
            return;
        }
        if (keptLongs == kept.length) {
            kept = Arrays.copyOf(kept, 2 * keptLongs);
        }
        kept[keptLongs++] = key.firstHash();
        kept[keptLongs++] = key.secondHash();
    }

    /** Sets the bits of all keys that were kept. */
    private void start(long keys) {
        words = new long[(int) ((wantedBits(keys) + 63) / 64)];
        bits = new FilterBits(words.length * 64L);
        for (int i = 0; i < keptLongs; i += 2) {
            set(kept[i], kept[i + 1]);
        }
        kept = null;
    }

    private void set(long increment, long firstAt) {
        long at = firstAt;
        for (int i = 0; i < hashCount; i++) {
            long bit = bits.bit(at);
            words[(int) (bit >>> 6)] |= 1L << (bit & 63);
            at += increment;
        }
    }

    /** Writes the number of hashes, of 64-bit words, and the bits, the lowest of each byte first. */
    public void write(Path file, OutputFile.Opener opener) throws IOException {
        if (words == null) {
            start(keptLongs / 2);
        }
        ByteWriter out = new ByteWriter(Math.min(words.length, WRITE_WORDS) * Long.BYTES + 8);
        try (OutputFile target = OutputFile.open(file, opener)) {
            out.writeInt(hashCount);
            out.writeInt(words.length);
            for (int i = 0; i < words.length; i++) {
                out.writeLong(Long.reverseBytes(words[i]));
                if (out.lengthBytes() >= WRITE_WORDS * Long.BYTES) {
                    target.write(out);
                    out.clear();
                }
            }
            target.write(out);
            target.sync();
        }
    }
}
