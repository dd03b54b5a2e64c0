package io.anneal.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The memory of one memtable: nodes in pages of ints, items in slabs of bytes, both only ever appended to. A node's
 * address is page and index in one int, 0 is no node. An item's address is the slab's number and the offset in it. The first
 * arrays are small, so that a small table takes little.
 *
 * <p>The owner thread appends. A reader sees an array, and what was written to it, by reading an address with
 * {@link #getAcquire} that the owner published after it with {@link #setRelease}.
 */
final class Slabs {
    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int PAGE_BITS = 18;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    private static final int PAGES_MAX = 1 << (31 - PAGE_BITS);
    private static final int SMALLEST_BYTES = 4 << 10;
    private static final int GROWTH = 8;
    /** An item that takes more of a slab, and does not fit in the current one, has one of its own: that is all that is wasted. */
    private static final int SHARED_PART = 8;

    private final MemtablePool pool;

    private volatile int[][] pages = new int[0][];
    private volatile byte[][] slabs = new byte[0][];
    private volatile long heldBytes;

    private long heldOutsideBytes;
    private int pageCount;
    private int pageUsedInts;
    private int slabCount;
    private int current = -1;
    private int currentUsedBytes;

    private int writtenSlab;
    private int writtenOffset;

    Slabs(MemtablePool pool) {
        this.pool = pool;
    }

    /** What the memtable takes of the pool. */
    long heldBytes() {
        return heldBytes;
    }

    /** The address of {@code ints} neighbours, whose content is undefined. */
    int allocate(int ints) {
        if (pageCount == 0 || pages[pageCount - 1].length - pageUsedInts < ints) {
            addPage();
        }
        int address = (pageCount - 1) << PAGE_BITS | pageUsedInts;
        pageUsedInts += ints;
        return address;
    }

    private void addPage() {
        if (pageCount == PAGES_MAX) {
            throw new IllegalStateException("memtable has no addresses left, pageCount=" + pageCount);
        }
        int length = sizeBytes(pageCount) / Integer.BYTES;
        int[] page = pool.takeInts(length);
        int[][] to = pages;
        if (pageCount == to.length) {
            to = Arrays.copyOf(to, Math.max(4, 2 * pageCount));
        }
        to[pageCount] = page;
        pages = to;
        // Address 0 is taken.
        pageUsedInts = pageCount == 0 ? 1 : 0;
        pageCount++;
        heldBytes += (long) length * Integer.BYTES + MemtablePool.ARRAY_HEADER_BYTES;
    }

    private int sizeBytes(int index) {
        int size = SMALLEST_BYTES;
        for (int i = 0; i < index && size < pool.slabBytes(); i++) {
            size *= GROWTH;
        }
        return Math.min(size, pool.slabBytes());
    }

    int get(int address) {
        return pages[address >>> PAGE_BITS][address & PAGE_MASK];
    }

    int getAcquire(int address) {
        return (int) INTS.getAcquire(pages[address >>> PAGE_BITS], address & PAGE_MASK);
    }

    /** Writes what no reader can know of yet. */
    void set(int address, int value) {
        pages[address >>> PAGE_BITS][address & PAGE_MASK] = value;
    }

    /** Publishes {@code value}, an address, with all that was written before. */
    void setRelease(int address, int value) {
        INTS.setRelease(pages[address >>> PAGE_BITS], address & PAGE_MASK, value);
    }

    /** Counts what lies outside of the arrays, more or less of it. */
    void hold(long bytes) {
        pool.hold(bytes);
        heldOutsideBytes += bytes;
        heldBytes += bytes;
    }

    /** Copies an item; {@link #writtenSlab()} and {@link #writtenOffset()} say where to. */
    void write(byte[] source, int offset, int length) {
        if (current < 0 || slabs[current].length - currentUsedBytes < length) {
            if (length > pool.slabBytes() / SHARED_PART || length > nextSlabBytes()) {
                writtenSlab = addSlab(length);
                writtenOffset = 0;
                System.arraycopy(source, offset, slabs[writtenSlab], 0, length);
                return;
            }
            current = addSlab(nextSlabBytes());
            currentUsedBytes = 0;
        }
        System.arraycopy(source, offset, slabs[current], currentUsedBytes, length);
        writtenSlab = current;
        writtenOffset = currentUsedBytes;
        currentUsedBytes += length;
    }

    /** Takes an item as it lies, in an array that nobody writes to any more, or copies it where little else is in that. */
    void adopt(byte[] source, int offset, int length) {
        if (source.length <= pool.slabBytes() || length < source.length / 2) {
            write(source, offset, length);
            return;
        }
        pool.hold(source.length + MemtablePool.ARRAY_HEADER_BYTES);
        writtenSlab = addSlab(source);
        writtenOffset = offset;
    }

    private int nextSlabBytes() {
        return sizeBytes(slabCount);
    }

    int writtenSlab() {
        return writtenSlab;
    }

    int writtenOffset() {
        return writtenOffset;
    }

    private int addSlab(int length) {
        return addSlab(pool.takeBytes(length));
    }

    private int addSlab(byte[] slab) {
        byte[][] to = slabs;
        if (slabCount == to.length) {
            to = Arrays.copyOf(to, Math.max(4, 2 * slabCount));
        }
        to[slabCount] = slab;
        slabs = to;
        heldBytes += slab.length + MemtablePool.ARRAY_HEADER_BYTES;
        return slabCount++;
    }

    byte[] slab(int index) {
        return slabs[index];
    }

    /** Gives everything back; nothing may be read or written any more. */
    void release(boolean reused) {
        for (int i = 0; i < pageCount; i++) {
            pool.give(pages[i]);
        }
        for (int i = 0; i < slabCount; i++) {
            if (reused) {
                pool.give(slabs[i]);
            } else {
                pool.hold(-slabs[i].length - MemtablePool.ARRAY_HEADER_BYTES);
            }
        }
        pool.hold(-heldOutsideBytes);
        pages = new int[0][];
        slabs = new byte[0][];
        heldOutsideBytes = 0;
        pageCount = 0;
        slabCount = 0;
        current = -1;
        heldBytes = 0;
    }
}
