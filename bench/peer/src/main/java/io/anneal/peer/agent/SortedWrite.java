package io.anneal.peer.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.CQLSSTableWriter;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

/**
 * A sorted {@link CQLSSTableWriter} given the rows of an SSTable. Rows are decoded into bound values a batch at a time
 * while the meter stands still, so that adding rows and finishing the files, syncs included, is all that counts.
 */
final class SortedWrite {
    private static final int BATCH_ROWS = 4096;

    private final TableMetadata metadata;
    private final CQLSSTableWriter writer;
    private final Meter meter;
    private final List<List<ByteBuffer>> batch = new ArrayList<>(BATCH_ROWS);
    private long rows;

    private SortedWrite(TableMetadata metadata, CQLSSTableWriter writer, Meter meter) {
        this.metadata = metadata;
        this.writer = writer;
        this.meter = meter;
    }

    static List<List<String>> run(String createTable, String source, String directory) throws IOException {
        OfflineTable table = OfflineTable.of(createTable);
        if (table.metadata().partitionKeyColumns().size() != 1) {
            throw new IllegalArgumentException("partition key is not of one column, table=" + table.metadata());
        }
        Meter meter = new Meter();
        SSTableReader reader = table.open(source);
        try (ISSTableScanner scanner = reader.getScanner()) {
            meter.start();
            CQLSSTableWriter writer = CQLSSTableWriter.builder()
                    .inDirectory(directory)
                    .forTable(createTable)
                    .using(insert(table.metadata()))
                    .withPartitioner(Murmur3Partitioner.instance)
                    .sorted()
                    .build();
            meter.stop();

            SortedWrite write = new SortedWrite(table.metadata(), writer, meter);
            write.addAll(scanner);
            meter.start();
            writer.close();
            meter.stop();
            return meter.answer(write.rows);
        } finally {
            reader.selfRef().release();
        }
    }

    /** All columns in the table's order, and the time of the write. */
    private static String insert(TableMetadata metadata) {
        StringJoiner names = new StringJoiner(", ");
        StringJoiner places = new StringJoiner(", ");
        metadata.allColumnsInCreateOrder().forEachRemaining(column -> {
            names.add(column.name.toCQLString());
            places.add("?");
        });
        return "INSERT INTO " + metadata + " (" + names + ") VALUES (" + places + ") USING TIMESTAMP ?";
    }

    private void addAll(ISSTableScanner scanner) throws IOException {
        while (scanner.hasNext()) {
            try (UnfilteredRowIterator partition = scanner.next()) {
                while (partition.hasNext()) {
                    Unfiltered unfiltered = partition.next();
                    if (unfiltered instanceof Row row) {
                        batch.add(values(partition.partitionKey().getKey(), row));
                        addBatch(BATCH_ROWS);
                    }
                }
            }
        }
        addBatch(1);
    }

    private List<ByteBuffer> values(ByteBuffer key, Row row) {
        List<ByteBuffer> values = new ArrayList<>();
        values.add(key);
        for (int i = 0; i < metadata.clusteringColumns().size(); i++) {
            values.add(row.clustering().bufferAt(i));
        }
        for (ColumnMetadata column : metadata.regularColumns()) {
            Cell<?> cell = row.getCell(column);
            values.add(cell == null ? CQLSSTableWriter.UNSET_VALUE : cell.buffer());
        }
        values.add(LongType.instance.decompose(row.primaryKeyLivenessInfo().timestamp()));
        return values;
    }

    private void addBatch(int rowsMin) throws IOException {
        if (batch.size() < rowsMin) {
            return;
        }
        meter.start();
        for (List<ByteBuffer> values : batch) {
            writer.rawAddRow(values);
        }
        meter.stop();
        rows += batch.size();
        batch.clear();
    }
}
