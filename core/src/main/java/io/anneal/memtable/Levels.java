package io.anneal.memtable;

/**
 * Draws the levels of new nodes: one in four is on the next level too. The sequence of draws is the same for each memtable,
 * which nothing depends on. One thread.
 */
final class Levels {
    private int state = 0x9E3779B9;

    /** From 1 to {@link Nodes#LEVELS}. */
    int next() {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return Math.min(Nodes.LEVELS, 1 + Integer.numberOfTrailingZeros(state) / 2);
    }
}
