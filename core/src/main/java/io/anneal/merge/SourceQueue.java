package io.anneal.merge;

/**
 * A few sources by number, least first: a sorted array with free room in front. Taking the least moves the front; a
 * source that comes back is looked for from the front in doubling steps, since runs of one source and near misses are
 * what merges of SSTables see. One or two comparisons in a run, about 2 log k at worst, and moves of a few ints.
 * Allocates nothing. Owned by one thread.
 */
abstract class SourceQueue {
    private final int[] sources;
    private int first;

    SourceQueue(int capacity) {
        sources = new int[capacity];
        first = capacity;
    }

    /** Order of the places at which two sources stand. */
    abstract int compare(int leftSource, int rightSource);

    boolean isEmpty() {
        return first == sources.length;
    }

    void clear() {
        first = sources.length;
    }

    /** The source that stands first. */
    int peek() {
        return sources[first];
    }

    int poll() {
        return sources[first++];
    }

    /** Puts a source in behind those that stand at or before its place. */
    void add(int source) {
        int end = findEnd(source);
        int moved = end - first;
        if (moved > 0) {
            System.arraycopy(sources, first, sources, first - 1, moved);
        }
        first--;
        sources[end - 1] = source;
    }

    /** Index of the first source that stands behind {@code source}. */
    private int findEnd(int source) {
        int length = sources.length;
        int low = first;
        int step = 1;
        while (low + step - 1 < length && compare(sources[low + step - 1], source) <= 0) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(low + step - 1, length);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(sources[middle], source) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
