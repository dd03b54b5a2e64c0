package io.anneal.memtable;

import io.anneal.io.ByteWriter;
import java.util.Arrays;

/** Makes a {@link RangeBlock} of range deletions that are disjoint and in order. One thread. */
final class RangeBlockWriter {
    private final ByteWriter items = new ByteWriter(256);
    private final ByteWriter block = new ByteWriter(256);
    private int[] offsets = new int[4];
    private int count;

    void clear() {
        items.clear();
        count = 0;
    }

    /** Adds an encoded range deletion, which is copied. */
    void add(byte[] buffer, int offset, int length) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = items.lengthBytes();
        items.writeBytes(buffer, offset, length);
    }

    /** The block, valid until the next call. */
    ByteWriter finish() {
        block.clear();
        int start = RangeBlock.OFFSETS + count * Integer.BYTES;
        block.writeInt(start + items.lengthBytes());
        block.writeInt(count);
        for (int i = 0; i < count; i++) {
            block.writeInt(start + offsets[i]);
        }
        block.writeBytes(items.array(), 0, items.lengthBytes());
        return block;
    }
}
