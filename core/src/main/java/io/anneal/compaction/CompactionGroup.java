package io.anneal.compaction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The SSTables that may be compacted with one another: those of one shard, repaired ones or the others. Immutable.
 *
 * @param shard as a candidate's
 */
record CompactionGroup(
        int shard, boolean repaired, List<CompactionCandidate> idle, List<CompactionCandidate> busy, long nowSeconds) {
    private record Name(int shard, boolean repaired) {}

    /** In the order in which their first SSTables come. */
    static List<CompactionGroup> of(CompactionView view) {
        Map<Name, CompactionGroup> groups = new LinkedHashMap<>();
        view.idle().forEach(candidate -> of(candidate, groups, view).idle().add(candidate));
        view.busy().forEach(candidate -> of(candidate, groups, view).busy().add(candidate));
        return List.copyOf(groups.values());
    }

    private static CompactionGroup of(
            CompactionCandidate candidate, Map<Name, CompactionGroup> groups, CompactionView view) {
        return groups.computeIfAbsent(
                new Name(candidate.shard(), candidate.isRepaired()),
                name -> new CompactionGroup(
                        name.shard(), name.repaired(), new ArrayList<>(), new ArrayList<>(), view.nowSeconds()));
    }

    boolean isShared() {
        return shard == CompactionCandidate.SHARED;
    }
}
