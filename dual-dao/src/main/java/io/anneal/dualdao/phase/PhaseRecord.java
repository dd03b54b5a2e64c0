package io.anneal.dualdao.phase;

import java.time.Instant;

/**
 * What a {@link PhaseStore} holds for one name: the phase in force, and who put it there. Each change has the next version,
 * backwards changes too, so that a store restored from an old backup is told by its version.
 *
 * @param version from 1, one more with each change
 * @param readSharePercent of the keys whose reads begin at the target in {@link Phase#READ_TARGET}, 0 to 100
 * @param highest the furthest phase ever in force
 */
public record PhaseRecord(
        long version, Phase phase, int readSharePercent, Phase highest, String who, Instant at, String why) {
    public PhaseRecord {
        if (version < 1 || readSharePercent < 0 || readSharePercent > 100 || phase.compareTo(highest) > 0) {
            throw new IllegalArgumentException("not a phase record, version=" + version + ", readSharePercent="
                    + readSharePercent + ", phase=" + phase.label() + ", highest=" + highest.label());
        }
    }

    /** The record of a migration that begins. */
    public static PhaseRecord first(String who, Instant at, String why) {
        return new PhaseRecord(1, Phase.ORIGIN_ONLY, 100, Phase.ORIGIN_ONLY, who, at, why);
    }

    /** Stands for who made a change of which only its number and its phase are known. */
    public static final String RECOVERED = "(recovered)";

    /** Stands for who made a change of which nothing is known but that it was made. */
    public static final String UNKNOWN = "(unknown)";

    /** What a mark keeps of it. */
    public PhaseMark.Seen seen() {
        return new PhaseMark.Seen(version, phase, highest);
    }

    /** Whether a mark may be of this record; of what was recovered not all is known. */
    public boolean mayBe(PhaseMark.Seen memory) {
        return who.equals(UNKNOWN) ? version == memory.version() : seen().equals(memory);
    }

    /** Whether an instance may act by this record though it remembers it otherwise. */
    public boolean mayBe(PhaseRecord remembered) {
        boolean recovered = who.equals(UNKNOWN) || who.equals(RECOVERED);
        return recovered ? mayBe(remembered.seen()) : equals(remembered);
    }

    /** The next record, in that phase. */
    public PhaseRecord changed(Phase newPhase, int newReadSharePercent, String by, Instant when, String reason) {
        Phase newHighest = newPhase.compareTo(highest) > 0 ? newPhase : highest;
        return new PhaseRecord(version + 1, newPhase, newReadSharePercent, newHighest, by, when, reason);
    }

    /**
     * Refuses what a version before this one may have left in force: a phase 4 in which instances of that version find in the
     * origin what an instance of this one deletes in the target alone.
     *
     * @param fallback what that record says of reads that fall back
     * @throws PhaseStoreException naming the way out
     */
    public void refuseFallback(String name, boolean fallback) {
        if (fallback && phase == Phase.WRITE_TARGET) {
            throw new PhaseStoreException("phase 4 with fallback is of an older version of this library: turn the"
                    + " fallback off with that one (its 'anneal migrate advance'), or go back, name=" + name
                    + ", version=" + version);
        }
    }
}
