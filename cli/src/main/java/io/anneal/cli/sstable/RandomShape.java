package io.anneal.cli.sstable;

/**
 * How much random data there is to be, and of what kind.
 *
 * @param rows in all; a table whose keys have too few values holds fewer
 * @param partitions over which the rows are spread evenly
 * @param deletionsPercent of cells, rows, ranges and partitions that are deletions
 * @param expiringPercent of rows that expire
 */
record RandomShape(long seed, long rows, long partitions, int deletionsPercent, int expiringPercent) {
    /** Rows of a partition: the first ones have one more when it does not come out even. */
    long rowsOf(long partition) {
        return rows / partitions + (partition < rows % partitions ? 1 : 0);
    }

    long rowsMax() {
        return rowsOf(0);
    }
}
