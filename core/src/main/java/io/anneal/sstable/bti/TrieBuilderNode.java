package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import java.util.Arrays;

/**
 * A node of a trie that {@link TrieWriter} builds: its children while they are not all written, and its payload. Used again for
 * other nodes, with its arrays, so that a long trie takes no more objects than its widest part.
 */
final class TrieBuilderNode {
    private static final long UNPLACED = -1;

    private final ByteWriter payload = new ByteWriter(0);

    private TrieBuilderNode[] children = new TrieBuilderNode[1];
    private int childCount;
    private int transition;
    private int payloadFlags;
    private long position;
    private int nodeBytes;
    private int branchBytes;
    private boolean hasPlacedChild;
    private boolean hasPlacedBelow;

    /** Makes it a new node without children and payload. */
    TrieBuilderNode reset(int newTransition) {
        transition = newTransition;
        childCount = 0;
        payloadFlags = 0;
        payload.clear();
        position = UNPLACED;
        nodeBytes = 0;
        branchBytes = 0;
        hasPlacedChild = false;
        hasPlacedBelow = false;
        return this;
    }

    /** The byte that leads here from the parent. */
    int transition() {
        return transition;
    }

    void addChild(TrieBuilderNode child) {
        assert childCount == 0 || children[childCount - 1].transition < child.transition : child.transition;
        if (childCount == children.length) {
            children = Arrays.copyOf(children, childCount * 2);
        }
        children[childCount++] = child;
    }

    int childCount() {
        return childCount;
    }

    TrieBuilderNode child(int index) {
        return children[index];
    }

    void clearChildren() {
        childCount = 0;
    }

    void setPayload(int flags, ByteWriter bytes) {
        assert flags > 0 && flags <= 0xF : flags;
        payloadFlags = flags;
        payload.clear();
        payload.writeBytes(bytes.array(), 0, bytes.lengthBytes());
    }

    boolean hasPayload() {
        return payloadFlags != 0;
    }

    /** Four bits, not 0 if there is a payload. */
    int payloadFlags() {
        return payloadFlags;
    }

    ByteWriter payload() {
        return payload;
    }

    boolean isPlaced() {
        return position != UNPLACED;
    }

    /** Where it lies in the file, once that is known. */
    long position() {
        return position;
    }

    /** Sets where it is written; the size stays, for the parent in the same branch. */
    void setPosition(long nodePosition) {
        position = nodePosition;
    }

    /** Forgets what a node in the file need not know: it takes nothing of its parent's page any more. */
    void place(long nodePosition) {
        assert childCount == 0 : childCount;
        position = nodePosition;
        nodeBytes = 0;
        branchBytes = 0;
        hasPlacedChild = false;
        hasPlacedBelow = false;
    }

    /** Length of the node itself. Exact only for the position it was measured at if a child is placed. */
    int nodeBytes() {
        return nodeBytes;
    }

    void setNodeBytes(int bytes) {
        nodeBytes = bytes;
    }

    /** Length of everything below the node that is not placed yet. */
    int branchBytes() {
        return branchBytes;
    }

    void setBranchBytes(int bytes) {
        branchBytes = bytes;
    }

    int totalBytes() {
        return branchBytes + nodeBytes;
    }

    /** Whether a child lies elsewhere already, so that the length of the pointer depends on where this node will lie. */
    boolean hasPlacedChild() {
        return hasPlacedChild;
    }

    /** Whether the same is true of a node below, so that the length of the branch depends on the place. */
    boolean hasPlacedBelow() {
        return hasPlacedBelow;
    }

    boolean dependsOnPosition() {
        return hasPlacedChild || hasPlacedBelow;
    }

    void setDependence(boolean placedChild, boolean placedBelow) {
        hasPlacedChild = placedChild;
        hasPlacedBelow = placedBelow;
    }

    /** How far the farthest child lies, or will lie, before {@code nodePosition}. */
    long farthestChildDistance(long nodePosition) {
        long farthest = 0;
        boolean hasUnplaced = false;
        for (int i = 0; i < childCount; i++) {
            TrieBuilderNode child = children[i];
            if (child.isPlaced()) {
                farthest = Math.max(farthest, nodePosition - child.position);
            } else if (!hasUnplaced) {
                // Branches are written in the order of the children: no later one is farther away.
                hasUnplaced = true;
                farthest = Math.max(farthest, branchBytes - child.branchBytes);
            }
        }
        return farthest;
    }
}
