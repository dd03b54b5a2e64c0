package io.anneal.testkit;

import java.util.SplittableRandom;

/** Decides what of the unforced outlives a crash. Owned by one thread. */
final class Survival {
    private static final int SECTOR_BYTES = 512;
    private static final int SECTORS_MAX_SHIFT = 7;

    /** Null when nothing survives. */
    private final SplittableRandom random;

    private final double chance;

    private Survival(SplittableRandom random, double chance) {
        this.random = random;
        this.chance = chance;
    }

    static Survival ofNothing() {
        return new Survival(null, 0);
    }

    static Survival random(long seed) {
        return new Survival(new SplittableRandom(seed), 0.5);
    }

    /** For one file: one loses all, another nothing, most something. */
    Survival ofFile() {
        return random == null
                ? this
                : new Survival(random.split(), Math.min(1, Math.max(0, random.nextDouble() * 2 - 0.5)));
    }

    boolean next() {
        return random != null && random.nextDouble() < chance;
    }

    /** How many of so many in a row survive, from the first. */
    int prefix(int count) {
        return random == null ? 0 : random.nextInt(count + 1);
    }

    /** What a disk takes at once: a power of two, of sectors that are never torn. */
    int pieceLengthBytes() {
        return random == null ? SECTOR_BYTES : SECTOR_BYTES << random.nextInt(SECTORS_MAX_SHIFT + 1);
    }
}
