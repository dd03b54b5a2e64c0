package io.anneal.sstable.bti;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;

/**
 * A node of a trie where it lies: a flyweight that is moved from node to node; {@link BtiFormat} has the grammar. The file has
 * no checksum, so nothing in it is believed: a node lies in one page, its transitions ascend, and each child lies before it,
 * which is why no walk down is endless. Owned by one thread.
 */
final class TrieNode {
    /** What a search returns when there is no such child. */
    static final int NONE = -1;

    private static final int PAYLOAD_ONLY = 0;
    private static final int SINGLE_4 = 1;
    private static final int SINGLE_12 = 3;
    private static final int SPARSE_FIRST = 5;
    private static final int DENSE_FIRST = 10;
    private static final int[] POINTER_BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};

    private final TriePages pages;

    private long position;
    private byte[] page;
    private int offset;
    private int limit;
    private int type;
    private int payloadFlags;
    private int childRange;
    private int transitionsOffset;
    private int pointersOffset;
    private int payloadOffset;

    TrieNode(TriePages pages) {
        this.pages = pages;
    }

    /** Moves to the node at a position. */
    void go(long nodePosition) throws IOException {
        goBack(nodePosition);
        checkTransitions();
    }

    /** Moves to a node that was found in order before. */
    void goBack(long nodePosition) throws IOException {
        position = nodePosition;
        page = pages.pageOf(nodePosition);
        limit = pages.limitOf(nodePosition);
        offset = (int) (nodePosition % TriePages.PAGE_BYTES);
        int head = page[offset] & 0xFF;
        type = head >>> 4;
        payloadFlags = type == SINGLE_4 || type == SINGLE_12 ? 0 : head & 0xF;
        if (type == PAYLOAD_ONLY) {
            childRange = 0;
            pointersOffset = offset + 1;
        } else if (type < SPARSE_FIRST) {
            childRange = 1;
            transitionsOffset = type == SINGLE_12 ? offset + 2 : offset + 1;
            pointersOffset = type == SINGLE_12 ? offset : type == SINGLE_4 ? offset : offset + 2;
        } else if (type < DENSE_FIRST) {
            childRange = byteAt(offset + 1);
            transitionsOffset = offset + 2;
            pointersOffset = transitionsOffset + childRange;
        } else {
            childRange = byteAt(offset + 2) + 1;
            transitionsOffset = offset + 1;
            pointersOffset = offset + 3;
        }
        payloadOffset = type == SINGLE_4 || type == SINGLE_12
                ? transitionsOffset + 1
                : pointersOffset + (childRange * POINTER_BITS[type] + 7) / 8;
        if (payloadOffset > limit) {
            throw corrupt("node lies on two pages");
        }
    }

    /** A byte of the head, which must be there before the node's length is known. */
    private int byteAt(int at) throws CorruptSSTableException {
        if (at >= limit) {
            throw corrupt("node lies on two pages");
        }
        return page[at] & 0xFF;
    }

    private void checkTransitions() throws CorruptSSTableException {
        boolean wrong = false;
        if (type >= DENSE_FIRST) {
            wrong = transition(0) + childRange > 256;
        } else if (type >= SPARSE_FIRST) {
            wrong = childRange == 0;
            for (int i = 1; i < childRange; i++) {
                wrong |= transition(i - 1) >= transition(i);
            }
        }
        if (wrong) {
            throw corrupt("transitions of the node are out of order");
        }
    }

    long position() {
        return position;
    }

    /** What the writer says of the payload; 0 when there is none. */
    int payloadFlags() {
        return payloadFlags;
    }

    boolean hasChildren() {
        return childRange > 0;
    }

    /** The byte that leads to a child. */
    int transition(int child) {
        if (type >= DENSE_FIRST) {
            return (page[transitionsOffset] & 0xFF) + child;
        }
        return page[transitionsOffset + child] & 0xFF;
    }

    /** The child behind a byte, or, as of {@code Arrays.binarySearch}, minus one and minus where it would be. */
    int search(int transition) throws CorruptSSTableException {
        if (type >= DENSE_FIRST) {
            int child = transition - transition(0);
            if (child < 0 || child >= childRange) {
                return child < 0 ? -1 : -childRange - 1;
            }
            return pointer(child) == 0 ? -child - 1 : child;
        }
        int low = 0;
        int high = childRange;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int found = transition(middle);
            if (found == transition) {
                return middle;
            }
            if (found < transition) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -low - 1;
    }

    /** The last child that is not behind {@code child}, or {@link #NONE}. */
    int floorChild(int child) {
        int found = Math.min(child, childRange - 1);
        while (type >= DENSE_FIRST && found >= 0 && pointer(found) == 0) {
            found--;
        }
        return Math.max(NONE, found);
    }

    /** The first child that is not before {@code child}, or {@link #NONE}. */
    int ceilingChild(int child) {
        int found = child;
        while (type >= DENSE_FIRST && found < childRange && pointer(found) == 0) {
            found++;
        }
        return found < childRange ? found : NONE;
    }

    /** Where a child lies, which is before this node. */
    long childPosition(int child) throws CorruptSSTableException {
        long distance = pointer(child);
        if (distance <= 0 || distance > position) {
            throw corrupt("child of the node does not lie before it, distance=" + distance);
        }
        return position - distance;
    }

    /** How far before this node a child lies; 0 in a dense node where there is none. */
    private long pointer(int child) {
        int bits = POINTER_BITS[type];
        if (bits == 4) {
            return page[pointersOffset] & 0xF;
        }
        if (type == SINGLE_12) {
            return (page[pointersOffset] & 0xF) << 8 | page[pointersOffset + 1] & 0xFF;
        }
        if (bits == 12) {
            int at = pointersOffset + 3 * child / 2;
            int two = (page[at] & 0xFF) << 8 | page[at + 1] & 0xFF;
            return (child & 1) == 0 ? two >>> 4 : two & 0xFFF;
        }
        return unsigned(pointersOffset + child * (bits / 8), bits / 8);
    }

    private long unsigned(int at, int count) {
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = value << 8 | page[at + i] & 0xFF;
        }
        return value;
    }

    /** A byte of the payload. */
    int payloadByte(int index) throws CorruptSSTableException {
        return byteAt(payloadOffset + index);
    }

    /** A signed number of {@code count} bytes in the payload. */
    long payloadNumber(int index, int count) throws CorruptSSTableException {
        int at = payloadOffset + index;
        if (at + count > limit) {
            throw corrupt("payload lies on two pages");
        }
        int unused = Long.SIZE - 8 * count;
        return unsigned(at, count) << unused >> unused;
    }

    /** The page with this node, valid until the next. */
    byte[] page() {
        return page;
    }

    /** Where the payload begins in the {@link #page()}. */
    int payloadOffset() {
        return payloadOffset;
    }

    /** How many bytes the page has. */
    int limit() {
        return limit;
    }

    CorruptSSTableException corrupt(String reason) {
        return corrupt(reason, null);
    }

    CorruptSSTableException corrupt(String reason, Throwable cause) {
        return pages.corrupt(position, reason, cause);
    }
}
