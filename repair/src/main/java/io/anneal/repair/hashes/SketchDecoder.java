package io.anneal.repair.hashes;

import java.util.Arrays;

/**
 * Finds the hashes in which two sets differ from the symbols of both: takes one that stands alone in a symbol out of all
 * that hold it, until no symbol holds anything. What is found must be held against count and sum of the sets: a check of
 * 32 bits may take a sum of several hashes for one.
 *
 * <p>Symbols of a peer may be anything. No more hashes are found than there are symbols, so that the work is bounded.
 */
public final class SketchDecoder {
    private static final int THEIRS = 1;
    private static final int OWN = -1;

    private int end;
    private long[] sums = new long[0];
    private int[] checks = new int[0];

    private long[] found = new long[16];
    private byte[] sides = new byte[16];
    private int count;
    private boolean contradicting;

    /** Symbols that may hold one hash. */
    private int[] stack = new int[16];

    private int stackSize;

    /**
     * Takes the next symbols of the other set.
     *
     * @param theirs goes on where the last slice ended
     * @param own of the own set, from 0 on, as long at least
     * @return whether all is found in which the sets differ
     */
    public boolean add(Sketch theirs, Sketch own) {
        if (theirs.first() != end) {
            throw new IllegalArgumentException("slice does not go on, first=" + theirs.first() + ", wanted=" + end);
        }
        int from = end;
        end = theirs.end();
        sums = Arrays.copyOf(sums, end);
        checks = Arrays.copyOf(checks, end);
        for (int i = from; i < end; i++) {
            sums[i] = theirs.sum(i) - own.sum(i);
            checks[i] = theirs.check(i) - own.check(i);
        }
        for (int i = 0; i < count; i++) {
            takeOut(found[i], sides[i], from);
        }
        stackSize = 0;
        for (int i = from; i < end; i++) {
            pushAlone(i);
        }
        peel();
        return isDone();
    }

    private void peel() {
        while (stackSize > 0 && !contradicting) {
            int index = stack[--stackSize];
            int side = side(index);
            if (side != 0) {
                long hash = side * sums[index];
                keep(hash, side);
                takeOut(hash, side, 0);
            }
        }
    }

    /** Whose the only hash of a symbol is; 0 when there is none, or more than one. */
    private int side(int index) {
        long sum = sums[index];
        int check = checks[index];
        if (sum == 0 && check == 0) {
            return 0;
        }
        if (Sketch.check(sum) == check) {
            return THEIRS;
        }
        return Sketch.check(-sum) == -check ? OWN : 0;
    }

    private void keep(long hash, int side) {
        if (count == end) {
            contradicting = true;
            return;
        }
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
            sides = Arrays.copyOf(sides, 2 * count);
        }
        sides[count] = (byte) side;
        found[count++] = hash;
    }

    private void takeOut(long hash, int side, int from) {
        int check = side * Sketch.check(hash);
        long sum = side * hash;
        long state = hash;
        for (int index = 0; index < end; ) {
            if (index >= from) {
                sums[index] -= sum;
                checks[index] -= check;
                pushAlone(index);
            }
            index = Sketch.nextIndex(index, state);
            state = Sketch.nextState(state);
        }
    }

    private void pushAlone(int index) {
        if (side(index) != 0) {
            if (stackSize == stack.length) {
                stack = Arrays.copyOf(stack, 2 * stackSize);
            }
            stack[stackSize++] = index;
        }
    }

    private boolean isDone() {
        if (contradicting || end == 0) {
            return false;
        }
        for (int i = 0; i < end; i++) {
            if (sums[i] != 0 || checks[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the symbols are those of no sets: more of them do not help. */
    public boolean isContradicting() {
        return contradicting;
    }

    /** Symbols taken so far. */
    public int end() {
        return end;
    }

    /** What the other set has and the own one has not. */
    public HashList theirs() {
        return side((byte) THEIRS);
    }

    /** What the own set has and the other one has not. */
    public HashList own() {
        return side((byte) OWN);
    }

    private HashList side(byte side) {
        long[] hashes = new long[count];
        int size = 0;
        for (int i = 0; i < count; i++) {
            if (sides[i] == side) {
                hashes[size++] = found[i];
            }
        }
        return HashList.of(Arrays.copyOf(hashes, size));
    }
}
