package io.anneal.compaction;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A strategy over groups, with what all strategies do alike: SSTables in which everything has expired are dropped first, shared
 * ones go to their shards next, then comes what the strategy says, the group with most to do first; last those SSTables of
 * which much can be purged. Immutable.
 */
final class GroupedStrategy implements CompactionStrategy {
    private static final int RESHARDED_MAX = 32;

    private final GroupStrategy strategy;
    private final boolean enabled;
    private final ExpiryRule expiry;
    private final TombstoneOptions tombstones;

    /** @param enabled whether anything is compacted unless somebody asks for all */
    GroupedStrategy(GroupStrategy strategy, boolean enabled, ExpiryRule expiry, TombstoneOptions tombstones) {
        this.strategy = strategy;
        this.enabled = enabled;
        this.expiry = expiry;
        this.tombstones = tombstones;
    }

    @Override
    public Optional<CompactionTask> next(CompactionView view) {
        if (!enabled) {
            return Optional.empty();
        }
        List<CompactionGroup> groups = CompactionGroup.of(view);
        return dropExpired(groups, view)
                .or(() -> reshard(groups))
                .or(() -> byStrategy(groups))
                .or(() -> purge(view));
    }

    private Optional<CompactionTask> dropExpired(List<CompactionGroup> groups, CompactionView view) {
        for (CompactionGroup group : groups) {
            List<CompactionCandidate> expired = expiry.expired(group, view);
            if (!expired.isEmpty()) {
                return Optional.of(CompactionTask.of(expired, Reason.DROP_EXPIRED));
            }
        }
        return Optional.empty();
    }

    private Optional<CompactionTask> reshard(List<CompactionGroup> groups) {
        return groups.stream()
                .filter(CompactionGroup::isShared)
                .flatMap(group -> strategy.apart(group).stream())
                .findFirst()
                .map(together -> CompactionTask.of(
                        together.subList(0, Math.min(RESHARDED_MAX, together.size())), Reason.RESHARD));
    }

    private Optional<CompactionTask> byStrategy(List<CompactionGroup> groups) {
        Comparator<CompactionGroup> mostToDo =
                Comparator.comparingInt(strategy::pending).reversed();
        return groups.stream()
                .filter(group -> !group.isShared())
                .sorted(mostToDo)
                .map(strategy::next)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<CompactionTask> purge(CompactionView view) {
        long beforeSeconds = expiry.purgeBeforeSeconds(view.nowSeconds());
        if (beforeSeconds == Long.MIN_VALUE) {
            return Optional.empty();
        }
        List<CompactionCandidate> all = new ArrayList<>(view.idle());
        all.addAll(view.busy());
        return view.idle().stream()
                .filter(candidate -> tombstones.isWorth(candidate, others(all, candidate), view, beforeSeconds))
                .max(Comparator.comparingDouble(
                        candidate -> candidate.reader().metadata().droppableRatio(beforeSeconds)))
                .map(candidate -> new CompactionTask(
                        List.of(candidate), candidate.level(), CompactionTask.UNLIMITED, 1, Reason.TOMBSTONES));
    }

    private static List<CompactionCandidate> others(List<CompactionCandidate> all, CompactionCandidate candidate) {
        return all.stream()
                .filter(other -> other.reader() != candidate.reader())
                .toList();
    }

    @Override
    public int pending(CompactionView view) {
        if (!enabled) {
            return 0;
        }
        int pending = 0;
        for (CompactionGroup group : CompactionGroup.of(view)) {
            pending += group.isShared() ? pendingShared(group) : strategy.pending(group);
        }
        return pending;
    }

    private int pendingShared(CompactionGroup group) {
        return strategy.apart(group).stream()
                .mapToInt(together -> (together.size() + RESHARDED_MAX - 1) / RESHARDED_MAX)
                .sum();
    }

    @Override
    public List<CompactionTask> major(CompactionView view) {
        List<CompactionTask> tasks = new ArrayList<>();
        for (CompactionGroup group : CompactionGroup.of(view)) {
            if (group.idle().isEmpty()) {
                continue;
            }
            if (group.isShared()) {
                strategy.apart(group).forEach(together -> tasks.add(CompactionTask.of(together, Reason.RESHARD)));
            } else {
                tasks.addAll(strategy.major(group));
            }
        }
        return tasks;
    }
}
