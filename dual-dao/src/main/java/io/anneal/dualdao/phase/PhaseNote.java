package io.anneal.dualdao.phase;

import java.time.Instant;
import java.util.Map;

/**
 * Something that happened in a migration beside changes of phase: what gates look at, what charts show as events.
 *
 * @param at when it ended
 * @param version of the {@link PhaseRecord} in force when it began
 * @param facts as {@link Facts} names them, among them {@link Facts#STARTED_MILLIS} and, of what was verified,
 *     {@link Facts#MISMATCHES}
 */
public record PhaseNote(Instant at, long version, String who, Kind kind, Map<String, String> facts) {
    /** What a note is of. */
    public enum Kind {
        /** Somebody's words, in {@link Facts#TEXT}. */
        TEXT,
        /** A back-fill of the target that went through to the end. */
        BACKFILL,
        /** A comparison of both sides, in both directions, over all keys. */
        VERIFICATION,
        /** The keys written since phase 4 were copied back to the origin and compared. */
        REVERSE_BACKFILL,
        /** An instance that fell silent was declared dead. Its journal may hold keys that nobody counts. */
        INSTANCE_DEAD,
        /** An instance ended with keys left in its journal, or its reads fell back lately. */
        INSTANCE_LEFT,
        /** An instance that was declared dead had gone on in phase 1, where nothing is journaled: the target lacks what it wrote. */
        INSTANCE_RETURNED,
        /** Somebody asks the instances for work on all keys. */
        ORDER,
        /** An order could not be carried out; why is in {@link Facts#TEXT}. */
        ORDER_FAILED,
        /** The migration is over, and there is no way back: instances forget what the origin lacks. */
        FINISHED
    }

    public PhaseNote {
        facts = Map.copyOf(facts);
    }

    /**
     * Of a comparison: whether there was anything to compare. A list without keys says nothing, but that of two whole sides says that
     * they are empty.
     */
    public boolean compared() {
        long keys = Facts.number(facts, Facts.ROWS);
        return keys > 0 || keys == 0 && Boolean.parseBoolean(facts.get(Facts.WHOLE));
    }

    /** Of a comparison: whether it found nothing, and said so. */
    public boolean clean() {
        return Facts.number(facts, Facts.MISMATCHES) == 0 && Facts.number(facts, Facts.WRITTEN_PAST) <= 0;
    }
}
