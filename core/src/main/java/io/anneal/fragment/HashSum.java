package io.anneal.fragment;

/**
 * The combined hash of a set of items: the sum of their 128-bit hashes modulo 2^128, with their number. The order of
 * adding does not matter, and what was added can be taken out again. Owned by one thread.
 */
public final class HashSum {
    private long low;
    private long high;
    private long count;

    public void clear() {
        low = 0;
        high = 0;
        count = 0;
    }

    /** Adds the hash's last result. */
    public void add(ItemHash hash) {
        add(hash.low(), hash.high());
    }

    public void add(long hashLow, long hashHigh) {
        addModulo(hashLow, hashHigh);
        count++;
    }

    public void add(HashSum other) {
        addModulo(other.low, other.high);
        count += other.count;
    }

    /** Takes out what was added before. */
    public void subtract(long hashLow, long hashHigh) {
        // The negated value: the complement plus one.
        addModulo(-hashLow, ~hashHigh + (hashLow == 0 ? 1 : 0));
        count--;
    }

    private void addModulo(long addLow, long addHigh) {
        high += addHigh + carry(low, addLow);
        low += addLow;
    }

    /** What the sum of two lower halves adds to that of the upper ones: for whoever has many sums, and no object for each. */
    public static int carry(long low, long otherLow) {
        return Long.compareUnsigned(low + otherLow, low) < 0 ? 1 : 0;
    }

    public long low() {
        return low;
    }

    public long high() {
        return high;
    }

    /** Number of items. */
    public long count() {
        return count;
    }

    public boolean sameAs(HashSum other) {
        return low == other.low && high == other.high && count == other.count;
    }
}
