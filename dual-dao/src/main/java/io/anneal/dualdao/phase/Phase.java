package io.anneal.dualdao.phase;

import java.util.Optional;

/**
 * How far a migration has come. The numbers and what they mean are those that Outbrain published; {@link #TARGET_FIRST}
 * is an optional step between 3 and 4.
 *
 * <p>A step leads to the next constant or to the one before, or over {@link #TARGET_FIRST}. Instances may be one step
 * apart while a change spreads, so that what neighbours do must fit together.
 */
public enum Phase {
    /** Writes go to the origin, reads too. */
    ORIGIN_ONLY("1"),
    /** Writes go to both, reads to the origin. */
    WRITE_BOTH("2"),
    /** Writes go to both, the origin first; reads to the target, and to the origin for what is missing there. */
    READ_TARGET("3"),
    /** As {@link #READ_TARGET}, with the target written first: from here on the target is right where both differ. */
    TARGET_FIRST("3b"),
    /** Writes go to the target, deletes to both; reads to the target, and to the origin for what is missing there. */
    WRITE_TARGET("4"),
    /** The target only. */
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
        return compareTo(READ_TARGET) >= 0 && compareTo(WRITE_TARGET) <= 0;
    }

    /** The phase one step on, over the optional step or not; empty after the last. */
    public Optional<Phase> next(boolean targetFirst) {
        if (this == TARGET_ONLY) {
            return Optional.empty();
        }
        Phase next = values()[ordinal() + 1];
        return Optional.of(next == TARGET_FIRST && !targetFirst ? WRITE_TARGET : next);
    }

    /** Whether the two are the same, or one step apart. */
    public boolean neighbours(Phase other) {
        int distance = Math.abs(ordinal() - other.ordinal());
        boolean overOptional = Math.min(ordinal(), other.ordinal()) == READ_TARGET.ordinal() && distance == 2;
        return distance <= 1 || overOptional;
    }
}
