package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;

/**
 * Writes nodes of a trie, each in the shortest type that holds it; {@link BtiFormat} has the grammar. Which type that is, is
 * read out of Cassandra 5.0's {@code io.tries.TrieNode}. Stateless.
 */
final class TrieNodeWriter {
    private static final int PAYLOAD_ONLY = 0;
    private static final int SINGLE_4 = 1;
    private static final int SINGLE_12 = 3;
    private static final int SINGLE_16 = 4;
    private static final int SPARSE_40 = 9;

    /** By type. */
    private static final int[] POINTER_BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};

    /** The types that hold so many bits of pointer, or the next best. */
    private static final int[] WIDTHS = {4, 8, 12, 16, 24, 32, 40, 64};

    private static final int[] SINGLE = {1, 2, 3, 4, 12, 13, 14, 15};
    private static final int[] SPARSE = {5, 5, 6, 7, 8, 9, 9, 15};
    private static final int[] DENSE = {10, 10, 10, 11, 12, 13, 14, 15};

    private TrieNodeWriter() {}

    /** Length of the node with its payload if it lies at {@code position}. */
    static int lengthBytes(TrieBuilderNode node, long position) {
        return lengthBytes(node, type(node, position)) + node.payloadBytes();
    }

    private static int type(TrieBuilderNode node, long position) {
        if (node.childCount() == 0) {
            return PAYLOAD_ONLY;
        }
        int width = width(node.farthestChildDistance(position));
        if (node.childCount() == 1) {
            int type = SINGLE[width];
            boolean roomForFlags = type != SINGLE_4 && type != SINGLE_12;
            return node.hasPayload() && !roomForFlags ? SINGLE[width + 1] : type;
        }
        int sparse = SPARSE[width];
        int dense = DENSE[width];
        return lengthBytes(node, sparse) < lengthBytes(node, dense) ? sparse : dense;
    }

    private static int width(long distance) {
        assert distance > 0 : distance;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(distance);
        int width = 0;
        while (WIDTHS[width] < bits) {
            width++;
        }
        return width;
    }

    private static int lengthBytes(TrieBuilderNode node, int type) {
        int bits = POINTER_BITS[type];
        if (type == PAYLOAD_ONLY) {
            return 1;
        }
        if (type <= SINGLE_16) {
            return 2 + bits / Byte.SIZE;
        }
        if (type <= SPARSE_40) {
            return 2 + node.childCount() + bytes(node.childCount() * bits);
        }
        return 3 + bytes((lastTransition(node) - firstTransition(node) + 1) * bits);
    }

    private static int bytes(int bits) {
        return (bits + Byte.SIZE - 1) / Byte.SIZE;
    }

    private static int firstTransition(TrieBuilderNode node) {
        return node.firstChild().transition();
    }

    private static int lastTransition(TrieBuilderNode node) {
        return node.lastChild().transition();
    }

    /** Appends the node, all of whose children have their positions, and its payload. */
    static void write(TrieBuilderNode node, long position, ByteWriter out) {
        if (node.childCount() == 0) {
            assert node.hasPayload();
            out.writeByte(PAYLOAD_ONLY << 4 | node.payloadFlags());
            node.writePayload(out);
            return;
        }
        int type = type(node, position);
        int bits = POINTER_BITS[type];
        if (type == SINGLE_4 || type == SINGLE_12) {
            long distance = position - node.firstChild().position();
            writePointer(bits + Byte.SIZE / 2, (long) type << bits | distance, out);
            out.writeByte(firstTransition(node));
        } else {
            out.writeByte(type << 4 | node.payloadFlags());
            if (type <= SINGLE_16) {
                out.writeByte(firstTransition(node));
                writePointer(bits, position - node.firstChild().position(), out);
            } else if (type <= SPARSE_40) {
                writeSparse(node, position, bits, out);
            } else {
                writeDense(node, position, bits, out);
            }
        }
        node.writePayload(out);
    }

    /** @param bits whole bytes of them */
    private static void writePointer(int bits, long distance, ByteWriter out) {
        for (int shift = bits - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            out.writeByte((int) (distance >>> shift));
        }
    }

    private static void writeSparse(TrieBuilderNode node, long position, int bits, ByteWriter out) {
        out.writeByte(node.childCount());
        for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
            out.writeByte(child.transition());
        }
        int index = 0;
        for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
            writeListed(index++, bits, position - child.position(), out);
        }
    }

    private static void writeDense(TrieBuilderNode node, long position, int bits, ByteWriter out) {
        int first = firstTransition(node);
        int last = lastTransition(node);
        out.writeByte(first);
        out.writeByte(last - first);
        TrieBuilderNode child = node.firstChild();
        for (int transition = first; transition <= last; transition++) {
            long distance = 0;
            if (child.transition() == transition) {
                distance = position - child.position();
                child = child.nextSibling();
            }
            writeListed(transition - first, bits, distance, out);
        }
    }

    /** Appends a pointer of a list; those of 12 bits share the byte in the middle of each two. */
    private static void writeListed(int index, int bits, long distance, ByteWriter out) {
        assert distance >= 0 && (bits == Long.SIZE || distance < 1L << bits) : distance;
        if (bits % Byte.SIZE == 0) {
            writePointer(bits, distance, out);
        } else if (index % 2 == 0) {
            writePointer(2 * Byte.SIZE, distance << 4, out);
        } else {
            int shared = out.array()[out.lengthBytes() - 1] & 0xF0;
            out.truncate(out.lengthBytes() - 1);
            writePointer(2 * Byte.SIZE, (long) shared << Byte.SIZE | distance, out);
        }
    }
}
