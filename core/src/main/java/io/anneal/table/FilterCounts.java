package io.anneal.table;

import io.anneal.metrics.TableMetrics;
import io.anneal.sstable.FilterListener;

/** Counts what the filters of a table's SSTables say. Any thread. */
record FilterCounts(TableMetrics metrics) implements FilterListener {
    @Override
    public void negative() {
        metrics.filterNegative();
    }

    @Override
    public void truePositive() {
        metrics.filterTruePositive();
    }

    @Override
    public void falsePositive() {
        metrics.filterFalsePositive();
    }
}
