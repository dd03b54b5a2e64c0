package io.anneal.peer.agent;

import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** Cassandra's own scanner over whole SSTables, through its merge where there are several. */
final class Scan {
    private Scan() {}

    static List<List<String>> run(String createTable, List<String> data) {
        OfflineTable table = OfflineTable.of(createTable);
        List<SSTableReader> readers = new ArrayList<>();
        Meter meter = new Meter();
        try {
            data.forEach(file -> readers.add(table.open(file)));
            meter.start();
            long rows = readAll(readers);
            meter.stop();
            return meter.answer(rows);
        } finally {
            readers.forEach(reader -> reader.selfRef().release());
        }
    }

    private static long readAll(List<SSTableReader> readers) {
        List<UnfilteredPartitionIterator> scanners = new ArrayList<>();
        readers.forEach(reader -> scanners.add(reader.getScanner()));
        long rows = 0;
        long valueBytes = 0;
        try (UnfilteredPartitionIterator partitions = scanners.size() == 1
                ? scanners.get(0)
                : UnfilteredPartitionIterators.merge(scanners, UnfilteredPartitionIterators.MergeListener.NOOP)) {
            while (partitions.hasNext()) {
                try (UnfilteredRowIterator partition = partitions.next()) {
                    while (partition.hasNext()) {
                        Unfiltered unfiltered = partition.next();
                        if (unfiltered instanceof Row row) {
                            rows++;
                            for (Cell<?> cell : row.cells()) {
                                valueBytes += cell.valueSize();
                            }
                        }
                    }
                }
            }
        }
        if (valueBytes < 0) {
            throw new IllegalStateException("values are longer than any file, bytes=" + valueBytes);
        }
        return rows;
    }
}
