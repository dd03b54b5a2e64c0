package io.anneal.dualdao.phase;

import java.util.Optional;

/**
 * How far a migration has come. The numbers are those that Outbrain published; {@link #TARGET_FIRST} is a step between 3 and 4.
 *
 * <p>A step leads to the next constant or to the one before. Instances may be one step apart while a change spreads, so that
 * what neighbours do must fit together: reads that go to the origin for what is missing, as in 3, have no neighbour that
 * writes the target alone, as 4 does.
 */
public enum Phase {
    /** Writes go to the origin, reads too. */
    ORIGIN_ONLY("1"),
    /** Writes go to both, reads to the origin. */
    WRITE_BOTH("2"),
    /** Writes go to both, the origin first; reads to the target, and to the origin for what is missing there: a fallback. */
    READ_TARGET("3"),
    /** Writes go to both, the target first, which is right from here on where both differ; reads to the target alone. */
    TARGET_FIRST("3b"),
    /** Writes and reads go to the target alone. The origin is kept as it was; keys written since are kept for the way back. */
    WRITE_TARGET("4"),
    /** As {@link #WRITE_TARGET}, and nothing asks the origin for anything any more. */
    TARGET_ONLY("5");

    private final String label;

    Phase(String label) {
        this.label = label;
    }

    /** As people write it: {@code 1}, {@code 2}, {@code 3}, {@code 3b}, {@code 4}, {@code 5}. */
    public String label() {
        return label;
    }

    /**
     * @throws IllegalArgumentException if no phase is called so
     */
    public static Phase of(String label) {
        for (Phase phase : values()) {
            if (phase.label.equals(label)) {
                return phase;
            }
        }
        throw new IllegalArgumentException("not a phase, phase=" + label + ", phases=1 2 3 3b 4 5");
    }

    /** The side that is right where the two differ. */
    public Side authority() {
        return compareTo(READ_TARGET) <= 0 ? Side.ORIGIN : Side.TARGET;
    }

    /** Whether writes reach this side. */
    public boolean writes(Side side) {
        return side == Side.ORIGIN ? compareTo(WRITE_TARGET) < 0 : compareTo(ORIGIN_ONLY) > 0;
    }

    /** Whether reads begin at the target. */
    public boolean readsTarget() {
        return compareTo(READ_TARGET) >= 0;
    }

    /** Whether a read that the target can't answer may go to the origin. */
    public boolean fallsBack() {
        return this == READ_TARGET;
    }

    /** The phase one step on; empty after the last. */
    public Optional<Phase> next() {
        return this == TARGET_ONLY ? Optional.empty() : Optional.of(values()[ordinal() + 1]);
    }

    /** The phase one step back; the first one's is itself. */
    public Phase previous() {
        return values()[Math.max(0, ordinal() - 1)];
    }

    /** Whether the two are the same, or one step apart. */
    public boolean neighbours(Phase other) {
        return Math.abs(ordinal() - other.ordinal()) <= 1;
    }
}
