package io.anneal.memtable;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory that all memtables of a store share, in heap arrays of about 1 MiB, which are kept for reuse when a memtable gives
 * them back: new ones would have to be cleared, and arrays of that size are a burden to the garbage collector. Counts what
 * memtables hold and never refuses: whoever admits writes asks {@link #usedBytes()} first. Any thread.
 */
public final class MemtablePool {
    /** What an array takes beside its elements, at most. */
    static final int ARRAY_HEADER_BYTES = 24;

    /** With its header below 1 MiB, the most that G1's regions of 1 MiB and 2 MiB hold without waste. */
    private static final int SLAB_MAX_BYTES = (1 << 20) - 64;

    private static final int SLAB_MIN_BYTES = 4 << 10;
    /** In how many slabs at least a budget is spent. */
    private static final int SLABS_MIN = 16;

    private final long budgetBytes;
    private final int slabBytes;
    private final Deque<byte[]> freeSlabs = new ArrayDeque<>();
    private final Deque<int[]> freePages = new ArrayDeque<>();

    private volatile long usedBytes;

    /** @param budgetBytes how much memtables should hold together; free arrays are kept up to there */
    public MemtablePool(long budgetBytes) {
        if (budgetBytes <= 0) {
            throw new IllegalArgumentException("budget is not positive, budgetBytes=" + budgetBytes);
        }
        this.budgetBytes = budgetBytes;
        slabBytes = (int) Math.max(SLAB_MIN_BYTES, Math.min(SLAB_MAX_BYTES, budgetBytes / SLABS_MIN)) & -Long.BYTES;
    }

    public long budgetBytes() {
        return budgetBytes;
    }

    /** What is taken at once, at most, unless a single write is larger: 1 MiB, or a sixteenth of a small budget. */
    public int slabBytes() {
        return slabBytes;
    }

    /** What memtables hold: whole arrays, full or not. May exceed the budget. */
    public long usedBytes() {
        return usedBytes;
    }

    /** What is kept for reuse. */
    public synchronized long freeBytes() {
        return (long) (freeSlabs.size() + freePages.size()) * heldEachBytes();
    }

    private int heldEachBytes() {
        return slabBytes + ARRAY_HEADER_BYTES;
    }

    /** An array of any length; its content is undefined. */
    synchronized byte[] takeBytes(int length) {
        byte[] slab = length == slabBytes ? freeSlabs.pollLast() : null;
        count((long) length + ARRAY_HEADER_BYTES);
        return slab != null ? slab : new byte[length];
    }

    /** An array of any length; its content is undefined. */
    synchronized int[] takeInts(int length) {
        int[] page = length == slabBytes / Integer.BYTES ? freePages.pollLast() : null;
        count((long) length * Integer.BYTES + ARRAY_HEADER_BYTES);
        return page != null ? page : new int[length];
    }

    /** Counts what a memtable holds beside its arrays, or no longer holds if negative. */
    synchronized void hold(long bytes) {
        count(bytes);
    }

    /** Takes back what was taken. */
    synchronized void give(byte[] slab) {
        count(-slab.length - ARRAY_HEADER_BYTES);
        if (slab.length == slabBytes && hasRoom()) {
            freeSlabs.add(slab);
        }
    }

    /** Takes back what was taken. */
    synchronized void give(int[] page) {
        count(-page.length * Integer.BYTES - ARRAY_HEADER_BYTES);
        if (page.length == slabBytes / Integer.BYTES && hasRoom()) {
            freePages.add(page);
        }
    }

    private boolean hasRoom() {
        return usedBytes + freeBytes() + heldEachBytes() <= budgetBytes;
    }

    private void count(long bytes) {
        usedBytes += bytes;
        while (usedBytes + freeBytes() > budgetBytes && (!freeSlabs.isEmpty() || !freePages.isEmpty())) {
            if (freeSlabs.size() >= freePages.size()) {
                freeSlabs.pollFirst();
            } else {
                freePages.pollFirst();
            }
        }
    }
}
