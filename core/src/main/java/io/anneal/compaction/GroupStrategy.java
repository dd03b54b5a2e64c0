package io.anneal.compaction;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a strategy decides on its own: in one group. Immutable; any thread. */
interface GroupStrategy {
    Optional<CompactionTask> next(CompactionGroup group);

    int pending(CompactionGroup group);

    /** What is idle, by what must not come into one SSTable for any reason; no list is empty. */
    default Collection<List<CompactionCandidate>> apart(CompactionGroup group) {
        return group.idle().isEmpty() ? List.of() : List.of(group.idle());
    }

    /** Tasks that compact all that is idle; there is at least one SSTable. */
    List<CompactionTask> major(CompactionGroup group);
}
