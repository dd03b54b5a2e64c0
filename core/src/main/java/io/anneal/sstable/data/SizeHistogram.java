package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import java.util.Arrays;

/** Counts of sizes in buckets that grow by a fifth, as Statistics hold them (Cassandra's {@code EstimatedHistogram}). */
final class SizeHistogram {
    /** Buckets up to 3.5 TB. */
    static final int PARTITION_SIZE_BUCKETS = 155;
    /** Buckets up to four milliards. */
    static final int CELL_COUNT_BUCKETS = 118;

    private final long[] upperBounds;
    private final long[] counts;

    SizeHistogram(int buckets) {
        upperBounds = new long[buckets];
        counts = new long[buckets + 1];
        upperBounds[0] = 1;
        for (int i = 1; i < buckets; i++) {
            upperBounds[i] = Math.max(upperBounds[i - 1] + 1, Math.round(upperBounds[i - 1] * 1.2));
        }
    }

    void add(long size) {
        int bucket = Arrays.binarySearch(upperBounds, size);
        counts[bucket < 0 ? -bucket - 1 : bucket]++;
    }

    /** Writes the number of buckets and of each the bound of the one before it and the count. */
    void write(ByteWriter out) {
        out.writeInt(counts.length);
        for (int i = 0; i < counts.length; i++) {
            out.writeLong(upperBounds[Math.max(0, i - 1)]);
            out.writeLong(counts[i]);
        }
    }
}
