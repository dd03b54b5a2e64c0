package io.anneal.repair.hashes;

import java.util.Arrays;

/** Hashes in unsigned order: the packed list of a replica's items in a window. Immutable. */
public final class HashList {
    public static final HashList EMPTY = of(new long[0]);

    /** Hashes are random: a part of this many is sorted by insertion, a longer one was made on purpose. */
    private static final int INSERTED_MAX = 32;

    private static final int SHORT_MAX = 4096;

    private final long[] sorted;
    /** Where the hashes with the same upper bits start, and the end. */
    private final int[] starts;

    private final int shift;

    private HashList(long[] hashes) {
        // At most one hash in a part on average; a short list, in which most of what is asked for is not, has few in
        // each.
        long parts = hashes.length <= SHORT_MAX ? 8L * hashes.length : hashes.length;
        // At least one bit, so that a part has one sign.
        int bits = Math.max(1, Long.SIZE - 1 - Long.numberOfLeadingZeros(parts | 1));
        shift = Long.SIZE - bits;
        starts = new int[(1 << bits) + 1];
        sorted = new long[hashes.length];
        for (long hash : hashes) {
            starts[(int) (hash >>> shift) + 1]++;
        }
        for (int i = 1; i < starts.length; i++) {
            starts[i] += starts[i - 1];
        }
        int[] ends = starts.clone();
        for (long hash : hashes) {
            sorted[ends[(int) (hash >>> shift)]++] = hash;
        }
        for (int i = 0; i + 1 < starts.length; i++) {
            sort(starts[i], starts[i + 1]);
        }
    }

    private void sort(int start, int end) {
        if (end - start > INSERTED_MAX) {
            Arrays.sort(sorted, start, end);
            return;
        }
        for (int i = start + 1; i < end; i++) {
            long hash = sorted[i];
            int at = i;
            for (; at > start && sorted[at - 1] > hash; at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = hash;
        }
    }

    /** Copies. */
    public static HashList of(long[] hashes) {
        return new HashList(hashes);
    }

    public boolean contains(long hash) {
        int part = (int) (hash >>> shift);
        int start = starts[part];
        int end = starts[part + 1];
        if (end - start > INSERTED_MAX) {
            return Arrays.binarySearch(sorted, start, end, hash) >= 0;
        }
        for (int i = start; i < end; i++) {
            if (sorted[i] == hash) {
                return true;
            }
        }
        return false;
    }

    /** Their sum modulo 2^64: the lower half of the combined hash of the same items. */
    public long sum() {
        long sum = 0;
        for (long hash : sorted) {
            sum += hash;
        }
        return sum;
    }

    public int size() {
        return sorted.length;
    }

    public boolean isEmpty() {
        return sorted.length == 0;
    }

    /** The hash at a place in the order. */
    public long get(int index) {
        return sorted[index];
    }

    public boolean hasDuplicates() {
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                return true;
            }
        }
        return false;
    }

    public long[] toArray() {
        return sorted.clone();
    }

    /** What is here and not in {@code other}. */
    public HashList without(HashList other) {
        long[] result = new long[sorted.length];
        int count = 0;
        for (long hash : sorted) {
            if (!other.contains(hash)) {
                result[count++] = hash;
            }
        }
        return count == sorted.length ? this : of(Arrays.copyOf(result, count));
    }

    /** What is in either; what is in both is there twice. */
    public HashList with(HashList other) {
        if (isEmpty() || other.isEmpty()) {
            return isEmpty() ? other : this;
        }
        long[] all = Arrays.copyOf(sorted, sorted.length + other.sorted.length);
        System.arraycopy(other.sorted, 0, all, sorted.length, other.sorted.length);
        return of(all);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HashList that && Arrays.equals(sorted, that.sorted);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sorted);
    }
}
