package io.anneal.repair.row;

import java.util.Arrays;

/** The hashes of one replica's items in a window, sorted: the packed list of row diff. Immutable. */
public final class HashList {
    private final long[] sorted;

    private HashList(long[] sorted) {
        this.sorted = sorted;
    }

    /** Takes the array over. */
    public static HashList of(long[] hashes) {
        Arrays.sort(hashes);
        return new HashList(hashes);
    }

    public boolean contains(long hash) {
        return Arrays.binarySearch(sorted, hash) >= 0;
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

    /** What is here and not in {@code other}: one pass over both. */
    public long[] without(HashList other) {
        long[] result = new long[sorted.length];
        int count = 0;
        int at = 0;
        for (long hash : sorted) {
            while (at < other.sorted.length && other.sorted[at] < hash) {
                at++;
            }
            if (at == other.sorted.length || other.sorted[at] != hash) {
                result[count++] = hash;
            }
        }
        return Arrays.copyOf(result, count);
    }

    /** What is in either. */
    public HashList with(long[] more) {
        long[] all = Arrays.copyOf(sorted, sorted.length + more.length);
        System.arraycopy(more, 0, all, sorted.length, more.length);
        return of(all);
    }
}
