package io.anneal.memtable;

import java.util.Arrays;

/**
 * Some nodes of a skip list of partitions, by token: where a search may begin instead of at the list's head. The lower levels of
 * a large list are far apart in memory and each step costs a cache miss, while a binary search among these hits the
 * cache. Immutable; nodes that are added later are found all the same, only some steps farther.
 */
final class TokenSamples {
    private static final int BYTES_EACH = Long.BYTES + Integer.BYTES;

    private long[] tokens;
    private int[] nodes;
    private int count;

    TokenSamples(int expected) {
        tokens = new long[expected];
        nodes = new int[expected];
    }

    /** Adds a node behind all others, before this is published. */
    void add(long token, int node) {
        if (count == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * count);
            nodes = Arrays.copyOf(nodes, 2 * count);
        }
        tokens[count] = token;
        nodes[count++] = node;
    }

    long heldBytes() {
        return (long) tokens.length * BYTES_EACH;
    }

    /** The last node whose token is smaller, or 0. */
    int before(long token) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tokens[middle] < token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : nodes[low - 1];
    }
}
