package io.anneal.cli.sstable;

import io.anneal.cli.command.Progress;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.KeyText;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What only the data tells. Counts as {@code sstablemetadata --scan} does: the cells of static rows are left out, every
 * bound of a range deletion is a tombstone, and sizes are those that rows have in Cassandra's memory.
 *
 * @param widest partitions with the most rows, most first; so are the other lists
 */
record MetadataScan(
        long lengthBytes,
        long partitionCount,
        long rowCount,
        long tombstoneCount,
        long cellCount,
        List<Leader> widest,
        List<Leader> largest,
        List<Leader> tombstones) {
    /** A partition and what it leads in. */
    record Leader(String key, long value) {}

    private static final int LEADERS_MAX = 5;
    private static final int FRAGMENTS_PER_UPDATE = 4096;
    private static final int LIVENESS_BYTES = 8;
    private static final int EXPIRING_LIVENESS_BYTES = 20;
    private static final int ROW_DELETION_BYTES = 13;
    private static final int COMPLEX_DELETION_BYTES = 12;
    private static final int CELL_BYTES = 20;

    static MetadataScan of(SSTableReader reader, Progress progress) throws IOException {
        try (SSTableCursor cursor = reader.scanAsWritten()) {
            return new Counter(cursor, progress).count(reader.dataLengthBytes());
        }
    }

    private static final class Counter {
        private final SSTableCursor cursor;
        private final Progress progress;
        private final List<Leader> widest = new ArrayList<>();
        private final List<Leader> largest = new ArrayList<>();
        private final List<Leader> tombstones = new ArrayList<>();

        private long partitionCount;
        private long rowCount;
        private long tombstoneCount;
        private long cellCount;
        private long partitionRows;
        private long partitionBytes;
        private long partitionTombstones;

        Counter(SSTableCursor cursor, Progress progress) {
            this.cursor = cursor;
            this.progress = progress;
        }

        MetadataScan count(long lengthBytes) throws IOException {
            long fragments = 0;
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                take(kind);
                if (++fragments % FRAGMENTS_PER_UPDATE == 0) {
                    progress.update(cursor.dataPosition(), rowCount);
                }
            }
            return new MetadataScan(
                    lengthBytes, partitionCount, rowCount, tombstoneCount, cellCount, widest, largest, tombstones);
        }

        private void take(FragmentKind kind) {
            switch (kind) {
                case PARTITION_START -> begin();
                case STATIC_ROW -> row(cursor.row());
                case CLUSTERING_ROW -> {
                    row(cursor.row());
                    cells(cursor.row());
                }
                case RANGE_TOMBSTONE_CHANGE -> partitionTombstones++;
                case PARTITION_END -> end();
            }
        }

        private void begin() {
            partitionCount++;
            partitionRows = 0;
            partitionBytes = 0;
            boolean deleted = !DeletionTime.isLive(
                    cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
            partitionTombstones = deleted ? 1 : 0;
        }

        private void row(Row row) {
            partitionRows++;
            partitionBytes += row.hasLiveness() && row.livenessTtlSeconds() != Row.NO_TTL
                    ? EXPIRING_LIVENESS_BYTES
                    : LIVENESS_BYTES;
            partitionBytes += ROW_DELETION_BYTES;
            Clustering clustering = row.clustering();
            for (int i = 0; i < clustering.size(); i++) {
                partitionBytes += Math.max(0, clustering.lengthBytes(i));
            }
            int lastComplex = -1;
            for (int i = 0; i < row.entryCount(); i++) {
                boolean complex = row.isComplexDeletion(i) || row.pathLengthBytes(i) != Row.ABSENT;
                if (complex && row.columnIndex(i) != lastComplex) {
                    lastComplex = row.columnIndex(i);
                    partitionBytes += COMPLEX_DELETION_BYTES;
                }
                if (!row.isComplexDeletion(i)) {
                    partitionBytes += CELL_BYTES;
                    partitionBytes += Math.max(0, row.valueLengthBytes(i)) + Math.max(0, row.pathLengthBytes(i));
                }
            }
        }

        private void cells(Row row) {
            for (int i = 0; i < row.entryCount(); i++) {
                if (row.isComplexDeletion(i)) {
                    continue;
                }
                cellCount++;
                if (row.isTombstone(i)) {
                    partitionTombstones++;
                }
            }
        }

        private void end() {
            rowCount += partitionRows;
            tombstoneCount += partitionTombstones;
            lead(widest, partitionRows);
            lead(largest, partitionBytes);
            if (partitionTombstones > 0) {
                lead(tombstones, partitionTombstones);
            }
        }

        private void lead(List<Leader> leaders, long value) {
            if (leaders.size() == LEADERS_MAX && leaders.get(LEADERS_MAX - 1).value() >= value) {
                return;
            }
            leaders.add(new Leader(KeyText.joined(cursor.schema(), cursor.key()), value));
            leaders.sort(Comparator.comparingLong(Leader::value).reversed());
            if (leaders.size() > LEADERS_MAX) {
                leaders.remove(LEADERS_MAX);
            }
        }
    }
}
