package io.anneal.fragment;

import java.util.List;

/**
 * How large a mutation may be where it is written. Each row, and each cell of the row that has most, counts for more than its
 * bytes: a memtable has a node for each row, and who decodes a row an entry for each cell.
 *
 * @param maxBytes what a mutation may come to
 * @param remedy what helps beside several mutations, for the message; may be empty
 */
public record MutationLimit(long maxBytes, String remedy) {
    /** What a row or a cell takes beside its bytes. */
    public static final int OVERHEAD_BYTES = 128;

    /** Of what could be written to an SSTable. */
    static final MutationLimit FORMAT = new MutationLimit(Mutation.LENGTH_MAX_BYTES, "");

    /** No row and no cell is shorter. */
    private static final int SHORTEST_BYTES = ItemLayout.SHORT_CELL_BYTES;

    /**
     * Refuses a mutation of a table that is too large.
     *
     * @throws IllegalArgumentException naming both sizes
     */
    public void require(String table, Mutation mutation) {
        if (mayExceed(mutation.lengthBytes())) {
            ItemCounts counts = ItemCounts.of(mutation.bytes());
            require(table, mutation.lengthBytes(), counts.rowCount(), counts.cellCountMax());
        }
    }

    /** The same for mutations of several tables that are written as one. */
    public void requireTogether(List<Mutation> mutations) {
        long lengthBytes = mutations.stream().mapToLong(Mutation::lengthBytes).sum();
        if (mayExceed(lengthBytes)) {
            long rowCount = 0;
            long cellCountMax = 0;
            for (Mutation mutation : mutations) {
                ItemCounts counts = ItemCounts.of(mutation.bytes());
                rowCount += counts.rowCount();
                cellCountMax = Math.max(cellCountMax, counts.cellCountMax());
            }
            require("batch", ", mutations=" + mutations.size(), lengthBytes, rowCount, cellCountMax);
        }
    }

    /** Small ones are not looked at. */
    private boolean mayExceed(long lengthBytes) {
        return lengthBytes + lengthBytes / SHORTEST_BYTES * OVERHEAD_BYTES > maxBytes;
    }

    /** Refuses a mutation that is being made, as soon as it is known to be too large. */
    void require(String table, long lengthBytes, long rowCount, long cellCountMax) {
        require("mutation", ", table=" + table, lengthBytes, rowCount, cellCountMax);
    }

    private void require(String what, String where, long lengthBytes, long rowCount, long cellCountMax) {
        long countedBytes = lengthBytes + OVERHEAD_BYTES * (rowCount + cellCountMax);
        if (countedBytes > maxBytes) {
            throw new IllegalArgumentException(what + " is too large, write it in several" + remedy + where
                    + ", lengthBytes=" + lengthBytes + ", rows=" + rowCount + ", cellsOfARow=" + cellCountMax
                    + ", countedBytes=" + countedBytes + ", maxBytes=" + maxBytes);
        }
    }
}
