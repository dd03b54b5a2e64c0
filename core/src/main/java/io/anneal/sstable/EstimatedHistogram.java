package io.anneal.sstable;

import java.util.Arrays;

/**
 * Counts of sizes in buckets that grow by a fifth: bucket {@code i} holds what is above the bound before it and up to its
 * own, the last one, which has no bound, all that is above. The arrays are not copied; only who counts writes to them.
 *
 * @param upperBounds ascending, one fewer than {@code counts}
 */
public record EstimatedHistogram(long[] upperBounds, long[] counts) {
    /** Without any value; bounds as Cassandra's. */
    public static EstimatedHistogram empty(int boundCount) {
        long[] bounds = new long[boundCount];
        bounds[0] = 1;
        for (int i = 1; i < boundCount; i++) {
            bounds[i] = Math.max(bounds[i - 1] + 1, Math.round(bounds[i - 1] * 1.2));
        }
        return new EstimatedHistogram(bounds, new long[boundCount + 1]);
    }

    /** Counts a value several times. */
    public void add(long value, long count) {
        counts[bucketOf(value)] += count;
    }

    /** In which bucket a value is counted. */
    public int bucketOf(long value) {
        int bucket = Arrays.binarySearch(upperBounds, value);
        return bucket < 0 ? -bucket - 1 : bucket;
    }

    /** How many values were counted. */
    public long total() {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        return total;
    }

    /** Values above the largest bound. */
    public long overflowCount() {
        return counts[counts.length - 1];
    }

    /** The mean of the bounds, weighted by the counts and rounded up; what overflowed is left out, and 0 is of nothing. */
    public long mean() {
        long elements = 0;
        long sum = 0;
        for (int i = 0; i < upperBounds.length; i++) {
            elements += counts[i];
            sum += counts[i] * upperBounds[i];
        }
        return elements == 0 ? 0 : (long) Math.ceil((double) sum / elements);
    }

    /** The bound of the bucket that the percentile lies in; 0 of nothing. What overflowed is left out. */
    public long percentile(double percentile) {
        long wanted = (long) Math.ceil((total() - overflowCount()) * percentile);
        long seen = 0;
        for (int i = 0; i < upperBounds.length && wanted > 0; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return upperBounds[i];
            }
        }
        return 0;
    }

    /** The smallest value that can have been counted. */
    public long min() {
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                return i == 0 ? 0 : upperBounds[i - 1] + 1;
            }
        }
        return 0;
    }

    /** The largest value that can have been counted, {@link Long#MAX_VALUE} when one overflowed. */
    public long max() {
        if (overflowCount() > 0) {
            return Long.MAX_VALUE;
        }
        for (int i = upperBounds.length - 1; i >= 0; i--) {
            if (counts[i] > 0) {
                return upperBounds[i];
            }
        }
        return 0;
    }
}
