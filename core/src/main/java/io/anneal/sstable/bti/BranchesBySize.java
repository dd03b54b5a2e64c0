package io.anneal.sstable.bti;

import java.util.Arrays;

/** The branches of one node that are not placed, by length: which one fits a page best is asked for each. Owned by one thread. */
final class BranchesBySize {
    private static final int CHILDREN_MAX = 256;

    private final TrieBuilderNode[] nodes = new TrieBuilderNode[CHILDREN_MAX];
    /** Ascending lengths, each with its place in {@link #nodes} in the last byte. */
    private final long[] order = new long[CHILDREN_MAX];

    private int count;

    /** Takes the children of another node. */
    void reset(TrieBuilderNode parent) {
        count = 0;
        int place = 0;
        for (TrieBuilderNode child = parent.firstChild(); child != null; child = child.nextSibling()) {
            if (!child.isPlaced()) {
                nodes[place] = child;
                order[count++] = key(child.totalBytes(), place);
            }
            place++;
        }
        Arrays.sort(order, 0, count);
    }

    private static long key(int lengthBytes, int place) {
        return (long) lengthBytes << Byte.SIZE | place;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Takes out the largest branch that is not longer than so much, the last of equal ones.
     *
     * @return its place, negative if there is none
     */
    int takeLargest(int lengthMaxBytes) {
        int index = Arrays.binarySearch(order, 0, count, (lengthMaxBytes + 1L) << Byte.SIZE);
        int found = (index < 0 ? -index - 1 : index) - 1;
        if (found < 0) {
            return found;
        }
        int place = (int) (order[found] & 0xFF);
        count--;
        System.arraycopy(order, found + 1, order, found, count - found);
        return place;
    }

    TrieBuilderNode node(int place) {
        return nodes[place];
    }

    /** Puts back what was taken, with the length that it has now. */
    void putBack(int place) {
        long key = key(nodes[place].totalBytes(), place);
        int index = -Arrays.binarySearch(order, 0, count, key) - 1;
        System.arraycopy(order, index, order, index + 1, count - index);
        order[index] = key;
        count++;
    }
}
