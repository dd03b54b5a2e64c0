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
    record Seen(long version, Phase phase, Phase highest) {
        /**
         * What a row of a store holds.
         *
         * @throws PhaseStoreException if it holds what is none
         */
        public static Seen read(String place, String name, long version, String phase, String highest) {
            try {
                return new Seen(version, Phase.of(phase), Phase.of(highest));
            } catch (IllegalArgumentException e) {
                throw new PhaseStoreException(
                        "mark of the phase in the target is none, place=" + place + ", name=" + name + ", reason="
                                + e.getMessage() + "; its table was changed by hand: restore it",
                        e);
            }
        }

        /**
         * After it was written and read back, in a store that keeps one row for each version, written at the time of the write.
         *
         * @throws PhaseStoreException if it did not take: the clock of whoever deleted it was ahead
         */
        public void requireTaken(String place, String name, Optional<Seen> found) {
            if (found.isEmpty() || found.get().version() < version) {
                throw new PhaseStoreException("mark of the phase in the target does not take, place=" + place
                        + ", name=" + name + ", version=" + version
                        + "; it was deleted by a clock that is ahead: wait until that time, or take another name");
            }
        }
    }

    /** Empty if it never remembered anything of that name. Throws {@link PhaseStoreException} if it can't be read. */
    Optional<Seen> read(String name);

    /** Remembers, durably; an older version than what is remembered changes nothing. */
    void remember(String name, Seen seen);
}
