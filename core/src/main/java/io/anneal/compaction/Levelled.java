package io.anneal.compaction;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Levelled: from level 1 on no two SSTables of a level overlap, so a partition is in one of each at most; each level holds
 * {@code fanout} times the one before. After LevelDB and Cassandra's LeveledCompactionStrategy, whose options these are.
 *
 * <pre>
 *   level 0   new SSTables, overlapping     together fill an SSTable? -> with all of level 1 that they overlap, to level 1
 *                                           else size-tiered among themselves; so too when there are very many
 *   level n   n >= 1, too large?            -> one SSTable, with all of level n+1 that it overlaps, to level n+1
 * </pre>
 *
 * Of a level the SSTable goes up that has least to rewrite above. The fullest level comes first, the highest of equal ones.
 * What is being compacted stays clear: nothing is picked that overlaps it on the levels that matter. An SSTable that overlaps
 * another of its level, as one imported may, counts as of level 0. Immutable.
 *
 * @param sstableSizeBytes of outputs
 * @param levelZero what is left to do in level 0
 */
record Levelled(long sstableSizeBytes, int fanout, SizeTiered levelZero) implements GroupStrategy {
    static final int LEVEL_MAX = 8;

    private static final int SSTABLE_SIZE_DEFAULT_MIB = 160;
    private static final int FANOUT_DEFAULT = 10;
    /** With more new SSTables than this reads suffer more from them than from anything else. */
    private static final int LEVEL_ZERO_MAX = 32;

    private static final int LEVEL_ZERO_TOGETHER = 4;

    static Levelled of(CompactionOptions options) {
        long sizeMib = options.count("sstable_size_in_mb", SSTABLE_SIZE_DEFAULT_MIB, 1);
        int fanout = options.count("fanout_size", FANOUT_DEFAULT, 2);
        if ((double) (sizeMib << 20) * Math.pow(fanout, LEVEL_MAX) > Long.MAX_VALUE) {
            throw options.bad(
                    "sstable_size_in_mb",
                    "is too large for a fanout_size of " + fanout + ": level " + LEVEL_MAX
                            + " would hold more than 2^63 bytes");
        }
        options.flag("single_sstable_uplevel", true);
        return new Levelled(sizeMib << 20, fanout, SizeTiered.of(options));
    }

    /** What a level may hold; {@link Long#MAX_VALUE} for the last. */
    long maxBytes(int level) {
        double bytes = level == 0
                ? (double) LEVEL_ZERO_TOGETHER * sstableSizeBytes
                : sstableSizeBytes * Math.pow(fanout, level);
        return level >= LEVEL_MAX || bytes > Long.MAX_VALUE ? Long.MAX_VALUE : (long) bytes;
    }

    @Override
    public Optional<CompactionTask> next(CompactionGroup group) {
        Levels levels = Levels.of(group);
        if (levels.idle(0).size() > LEVEL_ZERO_MAX) {
            Optional<List<CompactionCandidate>> crowd = levelZero.pick(levels.idle(0));
            if (crowd.isPresent()) {
                return crowd.map(inputs -> CompactionTask.of(inputs, Reason.STRATEGY));
            }
        }
        for (int level : fullestFirst(levels)) {
            Optional<CompactionTask> task = level == 0 ? fromLevelZero(levels) : from(level, levels);
            if (task.isPresent()) {
                return task;
            }
        }
        return levelZero.pick(levels.idle(0)).map(inputs -> CompactionTask.of(inputs, Reason.STRATEGY));
    }

    /** Levels that hold too much, those that exceed what they may most first. */
    private List<Integer> fullestFirst(Levels levels) {
        List<Integer> full = new ArrayList<>();
        for (int level = LEVEL_MAX - 1; level >= 0; level--) {
            if (score(level, levels) > 1) {
                full.add(level);
            }
        }
        full.sort(Comparator.comparingDouble((Integer level) -> score(level, levels))
                .reversed());
        return full;
    }

    private double score(int level, Levels levels) {
        double bytes = bytes(levels.idle(level));
        return level == 0 ? bytes / sstableSizeBytes : bytes / maxBytes(level);
    }

    private static long bytes(Collection<CompactionCandidate> candidates) {
        return candidates.stream().mapToLong(CompactionCandidate::onDiskBytes).sum();
    }

    /** The oldest of level 0 with what they overlap of level 1. */
    private Optional<CompactionTask> fromLevelZero(Levels levels) {
        if (!levels.busy(0).isEmpty()) {
            // Its outputs may come to lie where ours would.
            return Optional.empty();
        }
        List<CompactionCandidate> oldest = levels.idle(0).stream()
                .sorted(Comparator.comparingLong(c -> c.statistics().maxTimestampMicros()))
                .limit(levelZero.maxThreshold())
                .toList();
        return raise(oldest, 1, levels);
    }

    private Optional<CompactionTask> from(int level, Levels levels) {
        return levels.idle(level).stream()
                .map(candidate -> Move.of(candidate, levels.overlapping(level + 1, candidate)))
                .sorted(Comparator.comparingDouble(Move::costPerByte))
                .map(move -> raise(List.of(move.candidate), level + 1, levels))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** With all that they overlap of the level; nothing when part of that is being compacted. */
    private Optional<CompactionTask> raise(List<CompactionCandidate> lower, int level, Levels levels) {
        Span span = Span.of(lower);
        List<CompactionCandidate> inputs = new ArrayList<>(lower);
        for (CompactionCandidate candidate : levels.idle(level)) {
            if (span.overlaps(candidate)) {
                inputs.add(candidate);
            }
        }
        Span whole = Span.of(inputs);
        boolean clear = levels.busy(level).stream().noneMatch(whole::overlaps)
                && levels.busy(level - 1).stream().noneMatch(whole::overlaps);
        return clear
                ? Optional.of(new CompactionTask(inputs, level, sstableSizeBytes, 1, Reason.STRATEGY))
                : Optional.empty();
    }

    @Override
    public int pending(CompactionGroup group) {
        Levels levels = Levels.of(group);
        long pending = levelZero.pending(levels.idle(0));
        if (bytes(levels.idle(0)) > sstableSizeBytes) {
            pending = Math.max(pending, 1);
        }
        for (int level = 1; level < LEVEL_MAX; level++) {
            long excessBytes = bytes(levels.idle(level)) - maxBytes(level);
            pending += excessBytes <= 0 ? 0 : (excessBytes + sstableSizeBytes - 1) / sstableSizeBytes;
        }
        return (int) Math.min(pending, Integer.MAX_VALUE);
    }

    /** All to the first level that holds them; to level 0 when others are busy, whose outputs may overlap ours. */
    @Override
    public List<CompactionTask> major(CompactionGroup group) {
        long allBytes = bytes(group.idle());
        int level = 0;
        while (group.busy().isEmpty() && (level == 0 || allBytes > maxBytes(level))) {
            level++;
        }
        return List.of(new CompactionTask(group.idle(), level, sstableSizeBytes, 1, Reason.MAJOR));
    }

    /** Tokens from the first to the last, both inside. */
    private record Span(long firstToken, long lastToken) {
        static Span of(List<CompactionCandidate> candidates) {
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            for (CompactionCandidate candidate : candidates) {
                first = Math.min(first, candidate.firstToken());
                last = Math.max(last, candidate.lastToken());
            }
            return new Span(first, last);
        }

        boolean overlaps(CompactionCandidate candidate) {
            return firstToken <= candidate.lastToken() && candidate.firstToken() <= lastToken;
        }
    }

    /** One to raise, and how many bytes of the next level are rewritten for each of its own. */
    private record Move(CompactionCandidate candidate, double costPerByte) {
        static Move of(CompactionCandidate candidate, Collection<CompactionCandidate> overlapped) {
            return new Move(candidate, bytes(overlapped) / (double) candidate.onDiskBytes());
        }
    }

    /** SSTables by the level that counts. */
    private record Levels(List<List<CompactionCandidate>> idleOf, List<List<CompactionCandidate>> busyOf) {
        static Levels of(CompactionGroup group) {
            Levels levels = new Levels(new ArrayList<>(), new ArrayList<>());
            for (int level = 0; level <= LEVEL_MAX; level++) {
                levels.idleOf.add(new ArrayList<>());
                levels.busyOf.add(new ArrayList<>());
            }
            // What is busy keeps its place, an idle one has to give way.
            group.busy().forEach(candidate -> levels.busy(levelOf(candidate)).add(candidate));
            group.idle().stream()
                    .sorted(Comparator.comparingLong(CompactionCandidate::firstToken))
                    .forEach(levels::place);
            return levels;
        }

        private static int levelOf(CompactionCandidate candidate) {
            return Math.min(candidate.level(), LEVEL_MAX);
        }

        private void place(CompactionCandidate candidate) {
            int level = levelOf(candidate);
            List<CompactionCandidate> placed = idle(level);
            boolean fits = level == 0
                    || (placed.isEmpty() || !placed.get(placed.size() - 1).overlaps(candidate))
                            && busy(level).stream().noneMatch(candidate::overlaps);
            idle(fits ? level : 0).add(candidate);
        }

        List<CompactionCandidate> idle(int level) {
            return idleOf.get(level);
        }

        List<CompactionCandidate> busy(int level) {
            return busyOf.get(level);
        }

        List<CompactionCandidate> overlapping(int level, CompactionCandidate candidate) {
            return idle(level).stream().filter(candidate::overlaps).toList();
        }
    }
}
