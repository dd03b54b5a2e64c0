package io.anneal.compaction;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unified compaction, after the description published with Cassandra 5.0 (CEP-26), whose options these are. An SSTable's
 * <i>density</i> is its size on the disk by the share of the ring that it covers. Levels are ranges of density, each {@code
 * fanout} times as wide as the one before; of each level the SSTables that overlap one another are compacted once {@code
 * threshold} of them do.
 *
 * <pre>
 *   parameter        w     fanout    threshold
 *   Tn, tiered     n - 2     n          n         as size-tiered: a row is rewritten once for each level
 *   N                0       2          2
 *   Ln, levelled   2 - n     n          2         as levelled: one SSTable for each level at most
 * </pre>
 *
 * Outputs end at the ends of equal parts of the ring, the more parts the denser they are, so that parts are compacted on
 * their own later. The base of the levels is {@code flush_size_override}, or else {@code min_sstable_size}. Immutable.
 *
 * @param scaling {@code w} by level; the last holds for all above
 * @param growth 0: as many parts as SSTables of the target size need; 1: always {@code baseParts}; in between both grow
 */
record Unified(
        List<Integer> scaling,
        long baseSizeBytes,
        long minSSTableSizeBytes,
        long targetSSTableSizeBytes,
        int baseParts,
        double growth,
        int inputsMax)
        implements GroupStrategy {
    private static final Pattern PARAMETER = Pattern.compile("N|L(\\d+)|T(\\d+)|([+-]?\\d+)");
    private static final long MIN_SSTABLE_SIZE_DEFAULT_BYTES = 100L << 20;
    private static final long TARGET_SSTABLE_SIZE_DEFAULT_BYTES = 1L << 30;
    private static final int BASE_PARTS_DEFAULT = 4;
    private static final double GROWTH_DEFAULT = 0.333;
    private static final int INPUTS_MAX_DEFAULT = 32;
    private static final double MIN_SSTABLE_SIZE_SHARE_MAX = 0.7;
    private static final long BASE_SIZE_MIN_BYTES = 1L << 20;
    private static final int PARTS_MAX = 1 << 20;
    /** Two more make a fan-out. */
    private static final int W_MAX = Integer.MAX_VALUE - 2;

    /** Fewer partitions tell nothing about how much of the ring they are spread over. */
    private static final int PARTITIONS_SPREAD = 16;

    private static final double RING = 0x1p64;

    static Unified of(CompactionOptions options) {
        List<Integer> scaling = scaling(options);
        long minSizeBytes = options.bytes("min_sstable_size", MIN_SSTABLE_SIZE_DEFAULT_BYTES);
        long targetSizeBytes = options.bytes("target_sstable_size", TARGET_SSTABLE_SIZE_DEFAULT_BYTES);
        if (targetSizeBytes < BASE_SIZE_MIN_BYTES) {
            throw options.bad("target_sstable_size", "is below 1MiB");
        }
        if (minSizeBytes >= targetSizeBytes * MIN_SSTABLE_SIZE_SHARE_MAX) {
            throw options.bad("min_sstable_size", "is not below 70 % of target_sstable_size, " + targetSizeBytes);
        }
        long flushSizeBytes = options.bytes("flush_size_override", 0);
        if (flushSizeBytes > 0 && flushSizeBytes < BASE_SIZE_MIN_BYTES) {
            throw options.bad("flush_size_override", "is below 1MiB");
        }
        long baseSizeBytes = Math.max(BASE_SIZE_MIN_BYTES, flushSizeBytes > 0 ? flushSizeBytes : minSizeBytes);
        int baseParts = Math.min(options.count("base_shard_count", BASE_PARTS_DEFAULT, 1), PARTS_MAX);
        double growth = options.number("sstable_growth", GROWTH_DEFAULT, 0);
        if (growth > 1) {
            throw options.bad("sstable_growth", "is above 1");
        }
        int inputsMax = options.count("max_sstables_to_compact", INPUTS_MAX_DEFAULT, Integer.MIN_VALUE);
        String inclusion = options.text("overlap_inclusion_method", "TRANSITIVE");
        if (!inclusion.equalsIgnoreCase("TRANSITIVE")) {
            throw options.bad("overlap_inclusion_method", "is not TRANSITIVE, all that is supported");
        }
        // Printed for every class; size tiers are what they are for.
        options.text("min_threshold", "");
        options.text("max_threshold", "");
        options.whole("expired_sstable_check_frequency_seconds", 600, 0, Long.MAX_VALUE);
        if (options.flag("unsafe_aggressive_sstable_expiration", false)) {
            throw options.bad("unsafe_aggressive_sstable_expiration", "brings deleted data back and is not supported");
        }
        return new Unified(
                scaling,
                baseSizeBytes,
                minSizeBytes,
                targetSizeBytes,
                baseParts,
                growth,
                inputsMax <= 0 ? INPUTS_MAX_DEFAULT : inputsMax);
    }

    private static List<Integer> scaling(CompactionOptions options) {
        List<Integer> scaling = new ArrayList<>();
        for (String parameter : options.text("scaling_parameters", "T4").split(",")) {
            Matcher matcher = PARAMETER.matcher(parameter.strip());
            if (!matcher.matches()) {
                throw options.bad("scaling_parameters", "is neither N, L<number>, T<number> nor a number");
            }
            try {
                int w = matcher.group(1) != null
                        ? 2 - Integer.parseInt(matcher.group(1))
                        : matcher.group(2) != null
                                ? Integer.parseInt(matcher.group(2)) - 2
                                : matcher.group(3) != null ? Integer.parseInt(matcher.group(3)) : 0;
                boolean named = matcher.group(3) == null;
                if (named && (matcher.group(1) != null && w > 0 || matcher.group(2) != null && w < 0)) {
                    throw options.bad("scaling_parameters", "has a fan-out below 2");
                }
                if (Math.abs((long) w) > W_MAX) {
                    throw options.bad("scaling_parameters", "is not from " + -W_MAX + " to " + W_MAX);
                }
                scaling.add(w);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        options.bad("scaling_parameters", "is too large").getMessage(), e);
            }
        }
        return List.copyOf(scaling);
    }

    private int w(int level) {
        return scaling.get(Math.min(level, scaling.size() - 1));
    }

    int fanout(int level) {
        return 2 + Math.abs(w(level));
    }

    int threshold(int level) {
        return w(level) <= 0 ? 2 : 2 + w(level);
    }

    /** On the disk, for the whole ring at this density. */
    static double density(CompactionCandidate candidate) {
        return candidate.onDiskBytes() / share(List.of(candidate));
    }

    /** Which share of the ring SSTables cover together. */
    private static double share(List<CompactionCandidate> candidates) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long partitions = 0;
        for (CompactionCandidate candidate : candidates) {
            first = Math.min(first, candidate.firstToken());
            last = Math.max(last, candidate.lastToken());
            partitions += candidate.statistics().estimatedPartitionCount();
        }
        // The difference of the extremes overflows a long, not a double.
        double share = ((double) last - (double) first) / RING;
        return partitions < PARTITIONS_SPREAD || share <= 0 ? 1 : share;
    }

    int levelOf(double density) {
        int level = 0;
        double end = baseSizeBytes * (double) fanout(0);
        while (density >= end) {
            level++;
            end *= fanout(level);
        }
        return level;
    }

    /** Into how many parts outputs are cut: a power of two times {@code baseParts}, fewer when there is little. */
    int parts(double density) {
        if (minSSTableSizeBytes > 0 && density / minSSTableSizeBytes < baseParts) {
            return Math.max(1, Integer.highestOneBit((int) (density / minSSTableSizeBytes)));
        }
        double excess = density / (targetSSTableSizeBytes * (double) baseParts);
        if (excess <= 1) {
            return baseParts;
        }
        double doublings = (1 - growth) * Math.log(excess) / Math.log(2);
        return (int) Math.min(PARTS_MAX, baseParts * Math.pow(2, Math.floor(doublings + 0.5)));
    }

    /** SSTables of a level, each overlapping another of them; {@code depth} of them have a token in common. */
    private record Bucket(int level, List<CompactionCandidate> candidates, int depth) {}

    @Override
    public Optional<CompactionTask> next(CompactionGroup group) {
        return buckets(group).stream()
                .max(Comparator.comparingInt((Bucket bucket) -> bucket.depth() - threshold(bucket.level()))
                        .thenComparing(Comparator.comparingInt(Bucket::level).reversed()))
                .map(bucket -> task(some(bucket), Reason.STRATEGY));
    }

    /** Neighbours, which overlap most; with fewer than the fan-out levels would never be done. */
    private List<CompactionCandidate> some(Bucket bucket) {
        int most = Math.max(inputsMax, fanout(bucket.level()));
        return bucket.candidates().subList(0, Math.min(most, bucket.candidates().size()));
    }

    private CompactionTask task(List<CompactionCandidate> inputs, Reason reason) {
        long bytes = inputs.stream().mapToLong(CompactionCandidate::onDiskBytes).sum();
        return new CompactionTask(inputs, 0, CompactionTask.UNLIMITED, parts(bytes / share(inputs)), reason);
    }

    /** The sets of overlapping SSTables that are to be compacted. */
    private List<Bucket> buckets(CompactionGroup group) {
        List<List<CompactionCandidate>> levels = new ArrayList<>();
        for (CompactionCandidate candidate : byFirstToken(group.idle())) {
            int level = levelOf(density(candidate));
            while (levels.size() <= level) {
                levels.add(new ArrayList<>());
            }
            levels.get(level).add(candidate);
        }
        List<Bucket> buckets = new ArrayList<>();
        for (int level = 0; level < levels.size(); level++) {
            for (List<CompactionCandidate> overlapping : overlapping(levels.get(level))) {
                int depth = depth(overlapping);
                if (depth >= threshold(level)) {
                    buckets.add(new Bucket(level, overlapping, depth));
                }
            }
        }
        return buckets;
    }

    private static List<CompactionCandidate> byFirstToken(List<CompactionCandidate> candidates) {
        return candidates.stream()
                .sorted(Comparator.comparingLong(CompactionCandidate::firstToken))
                .toList();
    }

    /** Sets of which each member overlaps another, and none of another set; the candidates are sorted. */
    private static List<List<CompactionCandidate>> overlapping(List<CompactionCandidate> sorted) {
        List<List<CompactionCandidate>> sets = new ArrayList<>();
        long lastToken = 0;
        for (CompactionCandidate candidate : sorted) {
            if (sets.isEmpty() || candidate.firstToken() > lastToken) {
                sets.add(new ArrayList<>());
                lastToken = candidate.lastToken();
            }
            sets.get(sets.size() - 1).add(candidate);
            lastToken = Math.max(lastToken, candidate.lastToken());
        }
        return sets;
    }

    /** How many have a token in common at most. */
    private static int depth(List<CompactionCandidate> sorted) {
        PriorityQueue<Long> ends = new PriorityQueue<>();
        int depth = 0;
        for (CompactionCandidate candidate : sorted) {
            while (!ends.isEmpty() && ends.peek() < candidate.firstToken()) {
                ends.poll();
            }
            ends.add(candidate.lastToken());
            depth = Math.max(depth, ends.size());
        }
        return depth;
    }

    @Override
    public int pending(CompactionGroup group) {
        return buckets(group).stream()
                .mapToInt(bucket -> (bucket.candidates().size() + inputsMax - 1) / inputsMax)
                .sum();
    }

    /** Each set of overlapping SSTables on its own. */
    @Override
    public List<CompactionTask> major(CompactionGroup group) {
        return overlapping(byFirstToken(group.idle())).stream()
                .map(set -> task(set, Reason.MAJOR))
                .toList();
    }
}
