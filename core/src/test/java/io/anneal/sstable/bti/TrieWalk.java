package io.anneal.sstable.bti;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

/** Reads all of a trie from its description, the plainest way; fails if a node crosses a page. */
final class TrieWalk {
    record Entry(String key, int flags, String payload) {}

    private static final int[] POINTER_BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};

    private final ByteBuffer file;
    private final List<Entry> entries = new ArrayList<>();
    private final Set<Integer> types = new TreeSet<>();

    private final IntUnaryOperator payloadBytes;

    /** @param payloadBytes the length of a payload with these flags */
    TrieWalk(byte[] file, IntUnaryOperator payloadBytes) {
        this.file = ByteBuffer.wrap(file);
        this.payloadBytes = payloadBytes;
    }

    List<Entry> entries(long root) {
        entries.clear();
        walk(root, new byte[64], 0);
        return List.copyOf(entries);
    }

    /** The types of node that were met. */
    Set<Integer> types() {
        return types;
    }

    private void walk(long node, byte[] path, int pathLength) {
        byte[] key = path;
        int length = pathLength;
        long at = node;
        while (true) {
            List<Child> children = new ArrayList<>();
            at = read(Math.toIntExact(at), key, length, children);
            if (children.isEmpty()) {
                return;
            }
            if (length == key.length) {
                key = Arrays.copyOf(key, length * 2);
            }
            if (children.size() > 1) {
                for (Child child : children) {
                    key[length] = (byte) child.transition;
                    walk(child.position, key, length + 1);
                }
                return;
            }
            key[length++] = (byte) children.get(0).transition;
            at = children.get(0).position;
        }
    }

    private record Child(int transition, long position) {}

    private long read(int position, byte[] key, int length, List<Child> children) {
        int type = file.get(position) >> 4 & 0xF;
        int flags = file.get(position) & 0xF;
        types.add(type);
        int bits = POINTER_BITS[type];
        int end;
        if (type == 0) {
            end = position + 1;
        } else if (type == 1 || type == 3) {
            long distance = bits == 4 ? flags : file.getShort(position) & 0xFFF;
            end = position + (bits == 4 ? 2 : 3);
            children.add(new Child(file.get(end - 1) & 0xFF, position - distance));
            flags = 0;
        } else if (type <= 4) {
            end = position + 2 + bits / 8;
            children.add(new Child(file.get(position + 1) & 0xFF, position - pointer(position + 2, 0, bits)));
        } else if (type <= 9) {
            int count = file.get(position + 1) & 0xFF;
            for (int i = 0; i < count; i++) {
                long distance = pointer(position + 2 + count, i, bits);
                children.add(new Child(file.get(position + 2 + i) & 0xFF, position - distance));
            }
            end = position + 2 + count + (count * bits + 7) / 8;
        } else {
            int first = file.get(position + 1) & 0xFF;
            int count = 1 + (file.get(position + 2) & 0xFF);
            for (int i = 0; i < count; i++) {
                long distance = pointer(position + 3, i, bits);
                if (distance != 0) {
                    children.add(new Child(first + i, position - distance));
                }
            }
            end = position + 3 + (count * bits + 7) / 8;
        }
        if (flags != 0) {
            byte[] payload = new byte[payloadBytes.applyAsInt(flags)];
            file.get(end, payload);
            end += payload.length;
            HexFormat hex = HexFormat.of();
            entries.add(new Entry(hex.formatHex(key, 0, length), flags, hex.formatHex(payload)));
        }
        if ((end - 1) / TriePages.PAGE_BYTES != position / TriePages.PAGE_BYTES) {
            throw new AssertionError("node crosses a page, position=" + position + ", end=" + end);
        }
        return end;
    }

    private long pointer(int list, int index, int bits) {
        long value = 0;
        for (int bit = index * bits; bit < (index + 1) * bits; bit++) {
            value = value << 1 | file.get(list + bit / 8) >> (7 - bit % 8) & 1;
        }
        return value;
    }
}
