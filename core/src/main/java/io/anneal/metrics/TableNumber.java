package io.anneal.metrics;

import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/** A number of a table, and what those of all tables together are. */
enum TableNumber {
    MEMTABLE_BYTES("memtable-bytes", Total.SUM, table -> table.sum(ShardMetrics::memtableBytes)),
    FLUSHES("flushes", Total.COUNT, table -> table.sum(ShardMetrics::flushes)),
    FLUSHED_BYTES("flushed-bytes", Total.COUNT, table -> table.sum(ShardMetrics::flushedBytes)),
    FLUSHES_FAILED("flushes-failed", Total.COUNT, table -> table.sum(ShardMetrics::failedFlushes)),
    COMPACTIONS("compactions", Total.COUNT, TableMetrics::compactions),
    COMPACTIONS_FAILED("compactions-failed", Total.COUNT, TableMetrics::failedCompactions),
    COMPACTIONS_REFUSED("compactions-refused", Total.COUNT, TableMetrics::refusedCompactions),
    COMPACTIONS_PENDING("compactions-pending", Total.SUM, TableMetrics::compactionsPending),
    COMPACTION_BYTES_PENDING("compaction-bytes-pending", Total.SUM, TableMetrics::compactionBytesPending),
    COMPACTED_BYTES_READ("compacted-bytes-read", Total.COUNT, TableMetrics::compactedBytesRead),
    COMPACTED_BYTES_WRITTEN("compacted-bytes-written", Total.COUNT, TableMetrics::compactedBytesWritten),
    SSTABLES("sstables", Total.SUM, TableMetrics::sstables),
    SSTABLE_BYTES("sstable-bytes", Total.SUM, TableMetrics::sstableBytes),
    RING_REPAIRED_SECONDS("ring-repaired-seconds", Total.LEAST, TableMetrics::ringRepairedSeconds),
    REPAIRED_SECONDS("repaired-seconds", Total.LEAST, TableMetrics::repairedSeconds),
    GC_GRACE_SECONDS("gc-grace-seconds", Total.LEAST, TableMetrics::gcGraceSeconds),
    SCANS("scans", Total.COUNT, TableMetrics::scans),
    ROWS_SCANNED("rows-scanned", Total.COUNT, TableMetrics::scannedRows),
    TOMBSTONES_SCANNED("tombstones-scanned", Total.COUNT, TableMetrics::scannedTombstones),
    FILTER_NEGATIVES("filter-negatives", Total.COUNT, TableMetrics::filterNegatives),
    FILTER_TRUE_POSITIVES("filter-true-positives", Total.COUNT, TableMetrics::filterTruePositives),
    FILTER_FALSE_POSITIVES("filter-false-positives", Total.COUNT, TableMetrics::filterFalsePositives);

    /** What a table without the fact has for a number. */
    private static final long UNKNOWN = -1;

    /** How a total is made. */
    enum Total {
        /** Of what happened since the store was opened, of dropped tables too: it never falls. */
        COUNT,
        /** As it stands. */
        SUM,
        /** The smallest that is known. */
        LEAST
    }

    private final String text;
    private final Total total;
    private final ToLongFunction<TableMetrics> value;

    TableNumber(String text, Total total, ToLongFunction<TableMetrics> value) {
        this.text = text;
        this.total = total;
        this.value = value;
    }

    String text() {
        return text;
    }

    Total total() {
        return total;
    }

    long of(TableMetrics table) {
        return value.applyAsLong(table);
    }

    long total(LongStream ofTables) {
        return total == Total.LEAST
                ? ofTables.filter(number -> number != UNKNOWN).min().orElse(UNKNOWN)
                : ofTables.sum();
    }
}
