package io.anneal.dualdao.phase;

import java.util.Optional;

/**
 * A memory of the newest phase record seen, kept apart from the phase store: in a file beside the instance, and in the target
 * itself. It tells a phase store that was lost, emptied or restored from a backup from one that is right.
 */
public interface PhaseMark {
    /**
     * What is remembered.
     *
     * @param version of the newest record seen
     */
    record Seen(long version, Phase phase, Phase highest) {}

    /** Empty if it never remembered anything of that name. Throws {@link PhaseStoreException} if it can't be read. */
    Optional<Seen> read(String name);

    /** Remembers, durably; an older version than what is remembered changes nothing. */
    void remember(String name, Seen seen);
}
