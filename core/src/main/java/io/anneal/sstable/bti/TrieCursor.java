package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import java.io.IOException;
import java.util.Arrays;

/**
 * Walks over the entries of a trie in the order of their bytes: nodes with payload, each standing for the bytes on the way to
 * it from the root, before all that go on from there. Keeps the way, so that both neighbours are near. Owned by one thread;
 * allocates nothing once the longest way was gone.
 */
final class TrieCursor {
    /** Keys have at most 64 KiB, clusterings hardly more; each of their bytes may become two. */
    static final int WAY_MAX_BYTES = 1024 * 1024;

    private final TrieNode node;
    private final ByteWriter way = new ByteWriter(64);

    private long[] positions = new long[64];
    private int[] children = new int[64];
    private int depth;
    private long root;

    TrieCursor(TriePages pages) {
        node = new TrieNode(pages);
    }

    /** Takes another trie of the file; {@code rootPosition} lies in the file. */
    void reset(long rootPosition) {
        root = rootPosition;
        depth = 0;
        way.clear();
    }

    /** The node at which this stands. */
    TrieNode node() {
        return node;
    }

    /** The bytes that lead to the current entry. */
    ByteWriter way() {
        return way;
    }

    /** Whether the bytes of the current entry are the beginning of {@code bytes}, or all of it. */
    boolean leadsTo(ByteWriter bytes) {
        int length = way.lengthBytes();
        return length <= bytes.lengthBytes() && Arrays.equals(way.array(), 0, length, bytes.array(), 0, length);
    }

    /** Order of the current entry's bytes and {@code bytes}. */
    int compareTo(ByteWriter bytes) {
        return Arrays.compareUnsigned(way.array(), 0, way.lengthBytes(), bytes.array(), 0, bytes.lengthBytes());
    }

    private void goToRoot() throws IOException {
        depth = 0;
        way.clear();
        positions[0] = root;
        node.go(root);
    }

    private void goDown(int child) throws IOException {
        if (way.lengthBytes() == WAY_MAX_BYTES) {
            throw node.corrupt("trie is too deep, wayBytes=" + way.lengthBytes());
        }
        long position = node.childPosition(child);
        way.writeByte(node.transition(child));
        children[depth] = child;
        depth++;
        if (depth == positions.length) {
            positions = Arrays.copyOf(positions, 2 * depth);
            children = Arrays.copyOf(children, 2 * depth);
        }
        positions[depth] = position;
        node.go(position);
    }

    /** Returns the child from which it came. */
    private int goUp() throws IOException {
        depth--;
        way.truncate(depth);
        node.goBack(positions[depth]);
        return children[depth];
    }

    /** Moves to the last entry that is not behind {@code bytes}; false when there is none. */
    boolean seekFloor(ByteWriter bytes) throws IOException {
        goToRoot();
        byte[] array = bytes.array();
        int length = bytes.lengthBytes();
        while (depth < length) {
            int child = node.search(array[depth] & 0xFF);
            if (child < 0) {
                return goLastNotBehind(-child - 2);
            }
            goDown(child);
        }
        return goLastNotBehind(TrieNode.NONE);
    }

    /** Moves to the first entry. */
    void first() throws IOException {
        goToRoot();
        goFirst();
    }

    /** Moves to the last entry. */
    void last() throws IOException {
        goToRoot();
        goLast();
    }

    /** Moves to the next entry; false when there is none, and then this stands nowhere. */
    boolean next() throws IOException {
        int child = node.ceilingChild(0);
        while (child == TrieNode.NONE) {
            if (depth == 0) {
                return false;
            }
            child = node.ceilingChild(goUp() + 1);
        }
        goDown(child);
        goFirst();
        return true;
    }

    /** Moves to the entry before; false when there is none, and then this stands nowhere. */
    boolean previous() throws IOException {
        return depth > 0 && goLastNotBehind(goUp() - 1);
    }

    /** Whether no entry follows. */
    boolean isLast() throws IOException {
        boolean last = !node.hasChildren();
        for (int i = depth - 1; i >= 0 && last; i--) {
            node.goBack(positions[i]);
            last = node.ceilingChild(children[i] + 1) == TrieNode.NONE;
        }
        node.goBack(positions[depth]);
        return last;
    }

    /** Goes to the last entry under the current node's child or one before, at the node, or before it. */
    private boolean goLastNotBehind(int child) throws IOException {
        int found = node.floorChild(child);
        while (found == TrieNode.NONE) {
            if (node.payloadFlags() != 0) {
                return true;
            }
            if (depth == 0) {
                return false;
            }
            found = node.floorChild(goUp() - 1);
        }
        goDown(found);
        goLast();
        return true;
    }

    private void goFirst() throws IOException {
        while (node.payloadFlags() == 0) {
            goDown(requireChild(node.ceilingChild(0)));
        }
    }

    private void goLast() throws IOException {
        int child = node.floorChild(Integer.MAX_VALUE);
        while (child != TrieNode.NONE) {
            goDown(child);
            child = node.floorChild(Integer.MAX_VALUE);
        }
        if (node.payloadFlags() == 0) {
            requireChild(child);
        }
    }

    private int requireChild(int child) throws IOException {
        if (child == TrieNode.NONE) {
            throw node.corrupt("node has neither children nor payload");
        }
        return child;
    }
}
