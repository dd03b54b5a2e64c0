package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;

/**
 * A node of a trie that {@link TrieWriter} builds: its children while they are not all written, and its payload. Used again for
 * other nodes, so that a long trie takes no more objects than its widest part; children are linked, because arrays in their
 * place would all grow to the widest node's.
 */
final class TrieBuilderNode {
    private static final long UNPLACED = -1;
    private static final byte[] NOTHING = {};

    private byte[] payload = NOTHING;
    private int payloadBytes;
    private int payloadFlags;
    private TrieBuilderNode firstChild;
    private TrieBuilderNode lastChild;
    private TrieBuilderNode nextSibling;
    private int childCount;
    private int transition;
    private long position;
    private int nodeBytes;
    private int branchBytes;
    /** Whether a child lies elsewhere already, so that the length of the pointer depends on where this node will lie. */
    private boolean hasPlacedChild;

    private boolean hasPlacedBelow;

    /** Makes it a new node without children and payload. */
    TrieBuilderNode reset(int newTransition) {
        transition = newTransition;
        clearChildren();
        nextSibling = null;
        payloadFlags = 0;
        payloadBytes = 0;
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
        assert childCount == 0 || lastChild.transition < child.transition : child.transition;
        if (childCount == 0) {
            firstChild = child;
        } else {
            lastChild.nextSibling = child;
        }
        lastChild = child;
        childCount++;
    }

    int childCount() {
        return childCount;
    }

    /** Null when there is none. */
    TrieBuilderNode firstChild() {
        return firstChild;
    }

    TrieBuilderNode lastChild() {
        return lastChild;
    }

    /** The parent's next child, or null. */
    TrieBuilderNode nextSibling() {
        return nextSibling;
    }

    void clearChildren() {
        firstChild = null;
        lastChild = null;
        childCount = 0;
    }

    void setPayload(int flags, ByteWriter bytes) {
        assert flags > 0 && flags <= 0xF : flags;
        payloadFlags = flags;
        payloadBytes = bytes.lengthBytes();
        if (payload.length < payloadBytes) {
            payload = new byte[payloadBytes];
        }
        System.arraycopy(bytes.array(), 0, payload, 0, payloadBytes);
    }

    boolean hasPayload() {
        return payloadFlags != 0;
    }

    /** Four bits, not 0 if there is a payload. */
    int payloadFlags() {
        return payloadFlags;
    }

    int payloadBytes() {
        return payloadBytes;
    }

    void writePayload(ByteWriter out) {
        out.writeBytes(payload, 0, payloadBytes);
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

    /** Whether a node below has a child that lies elsewhere already, so that the length of the branch depends on the place. */
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
        // Branches are written in the order of the children: no later one is farther away.
        if (!hasPlacedChild) {
            return branchBytes - firstChild.branchBytes;
        }
        long farthest = 0;
        boolean hasUnplaced = false;
        for (TrieBuilderNode child = firstChild; child != null; child = child.nextSibling) {
            if (child.isPlaced()) {
                farthest = Math.max(farthest, nodePosition - child.position);
            } else if (!hasUnplaced) {
                hasUnplaced = true;
                farthest = Math.max(farthest, branchBytes - child.branchBytes);
            }
        }
        return farthest;
    }
}
