package io.anneal.compaction;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Size-tiered: SSTables of about one size are compacted once there are enough of them, so that sizes grow by that number and a
 * row is rewritten once for each size. After Cassandra's SizeTieredCompactionStrategy, whose options these are.
 *
 * <pre>
 *   1 1 1 1        -> 4
 *   4 4 4 4        -> 16          buckets of sizes within bucket_low .. bucket_high of their average;
 *   16 16 16 16    -> 64          all below min_sstable_size are one bucket
 * </pre>
 *
 * Of several buckets the one of the smallest SSTables comes first: it costs least and takes away as many. Immutable.
 *
 * @param minThreshold how many SSTables make a compaction
 * @param maxThreshold how many are compacted at once
 * @param minSSTableSizeBytes smaller ones count as of one size
 */
record SizeTiered(int minThreshold, int maxThreshold, double bucketLow, double bucketHigh, long minSSTableSizeBytes)
        implements GroupStrategy {
    private static final int MIN_THRESHOLD_DEFAULT = 4;
    private static final int MAX_THRESHOLD_DEFAULT = 32;
    private static final double BUCKET_LOW_DEFAULT = 0.5;
    private static final double BUCKET_HIGH_DEFAULT = 1.5;
    private static final long MIN_SSTABLE_SIZE_DEFAULT_BYTES = 50L << 20;

    static SizeTiered of(CompactionOptions options) {
        int min = options.count("min_threshold", MIN_THRESHOLD_DEFAULT, 2);
        int max = options.count("max_threshold", MAX_THRESHOLD_DEFAULT, 2);
        if (max < min) {
            throw options.bad("max_threshold", "is below min_threshold, " + min);
        }
        double low = options.number("bucket_low", BUCKET_LOW_DEFAULT, 0);
        double high = options.number("bucket_high", BUCKET_HIGH_DEFAULT, 0);
        if (high <= low) {
            throw options.bad("bucket_high", "is not above bucket_low, " + low);
        }
        return new SizeTiered(min, max, low, high, options.bytes("min_sstable_size", MIN_SSTABLE_SIZE_DEFAULT_BYTES));
    }

    @Override
    public Optional<CompactionTask> next(CompactionGroup group) {
        return pick(group.idle()).map(inputs -> CompactionTask.of(inputs, Reason.STRATEGY));
    }

    /** The SSTables to compact next, of one bucket. */
    Optional<List<CompactionCandidate>> pick(List<CompactionCandidate> idle) {
        // Buckets ascend.
        return buckets(idle).stream()
                .filter(bucket -> bucket.size() >= minThreshold)
                .findFirst()
                .map(bucket -> bucket.subList(0, Math.min(maxThreshold, bucket.size())));
    }

    private List<List<CompactionCandidate>> buckets(List<CompactionCandidate> candidates) {
        List<CompactionCandidate> bySize = new ArrayList<>(candidates);
        bySize.sort(Comparator.comparingLong(CompactionCandidate::onDiskBytes));
        List<List<CompactionCandidate>> buckets = new ArrayList<>();
        double sumBytes = 0;
        for (CompactionCandidate candidate : bySize) {
            List<CompactionCandidate> last = buckets.isEmpty() ? List.of() : buckets.get(buckets.size() - 1);
            if (last.isEmpty() || !isOfSize(candidate.onDiskBytes(), sumBytes / last.size())) {
                last = new ArrayList<>();
                buckets.add(last);
                sumBytes = 0;
            }
            last.add(candidate);
            sumBytes += candidate.onDiskBytes();
        }
        return buckets;
    }

    private boolean isOfSize(long bytes, double averageBytes) {
        return bytes > averageBytes * bucketLow && bytes < averageBytes * bucketHigh
                || bytes < minSSTableSizeBytes && averageBytes < minSSTableSizeBytes;
    }

    @Override
    public int pending(CompactionGroup group) {
        return pending(group.idle());
    }

    int pending(List<CompactionCandidate> idle) {
        int pending = 0;
        for (List<CompactionCandidate> bucket : buckets(idle)) {
            pending += bucket.size() < minThreshold ? 0 : (bucket.size() + maxThreshold - 1) / maxThreshold;
        }
        return pending;
    }

    @Override
    public List<CompactionTask> major(CompactionGroup group) {
        return List.of(CompactionTask.of(group.idle(), Reason.MAJOR));
    }
}
