package io.anneal.compaction;

import java.util.List;
import java.util.Optional;

/** What a strategy decides on its own: in one group. Immutable; any thread. */
interface GroupStrategy {
    Optional<CompactionTask> next(CompactionGroup group);

    int pending(CompactionGroup group);

    /** Tasks that compact all that is idle; there is at least one SSTable. */
    List<CompactionTask> major(CompactionGroup group);
}
