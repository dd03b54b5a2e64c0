package io.anneal.bench.scenario;

/**
 * Sizes that only the store's cases have.
 *
 * @param steadySeconds how long writing at a fifth of the burst's rate goes on
 * @param compactedBytes of each SSTable that is compacted, uncompressed
 * @param heapMiB of every store's process; this one has it already
 * @param memtablesMiB what the memtables of each store may take
 */
public record StoreSizes(int steadySeconds, long compactedBytes, int heapMiB, int memtablesMiB) {
    /** Less would be a handful of rows. */
    public static final long COMPACTED_BYTES_MIN = 1024 * 1024;

    private static final int HEAP_MIB_MIN = 256;
    private static final int MEMTABLES_OF_HEAP = 4;

    public StoreSizes {
        if (steadySeconds < 1 || compactedBytes < COMPACTED_BYTES_MIN || memtablesMiB < 1) {
            throw new IllegalArgumentException("nothing to measure with, steadySeconds=" + steadySeconds
                    + ", compactedBytes=" + compactedBytes + ", memtablesMiB=" + memtablesMiB);
        }
    }

    /** A quarter of the heap for memtables, as Cassandra divides it. */
    public static StoreSizes of(int steadySeconds, long compactedBytes, int heapMiB) {
        int heap = Math.max(HEAP_MIB_MIN, heapMiB);
        return new StoreSizes(steadySeconds, compactedBytes, heap, heap / MEMTABLES_OF_HEAP);
    }

    long memtablesBytes() {
        return (long) memtablesMiB << 20;
    }
}
