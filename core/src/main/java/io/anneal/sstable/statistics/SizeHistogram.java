package io.anneal.sstable.statistics;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.EstimatedHistogram;

/** Counts of sizes in buckets that grow by a fifth, as Statistics hold them (Cassandra's {@code EstimatedHistogram}). */
final class SizeHistogram {
    /** Buckets up to 3.5 TB. */
    static final int PARTITION_SIZE_BUCKETS = 155;
    /** Buckets up to four milliards. */
    static final int CELL_COUNT_BUCKETS = 118;

    private final EstimatedHistogram histogram;
    private int lastBucket;

    SizeHistogram(int buckets) {
        histogram = EstimatedHistogram.empty(buckets);
    }

    void add(long size) {
        long[] upperBounds = histogram.upperBounds();
        // Partitions of a table are alike.
        if (lastBucket == upperBounds.length
                || size > upperBounds[lastBucket]
                || lastBucket > 0 && size <= upperBounds[lastBucket - 1]) {
            lastBucket = histogram.bucketOf(size);
        }
        histogram.counts()[lastBucket]++;
    }

    /** Writes the number of buckets and of each the bound of the one before it and the count. */
    void write(ByteWriter out) {
        long[] upperBounds = histogram.upperBounds();
        long[] counts = histogram.counts();
        out.writeInt(counts.length);
        for (int i = 0; i < counts.length; i++) {
            out.writeLong(upperBounds[Math.max(0, i - 1)]);
            out.writeLong(counts[i]);
        }
    }
}
