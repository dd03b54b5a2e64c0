package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.file.BloomFilter;
import io.anneal.sstable.file.DataDigest;
import io.anneal.sstable.file.TableOfContents;
import io.anneal.sstable.statistics.Statistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks a whole SSTable: the files that TOC names, Digest, every chunk and every row's place, and in lockstep with the
 * data Filter and every entry of the index. Stops at the first thing that is wrong.
 */
final class DataVerifier {
    private final DataReader reader;
    private final Descriptor descriptor;
    private final TableSchema schema;
    private final ClusteringComparator comparator;

    private BloomFilter filter;
    private Clustering previous;
    private int previousWeight;

    DataVerifier(DataReader reader) {
        this.reader = reader;
        descriptor = reader.descriptor();
        schema = reader.headerSchema();
        comparator = ClusteringComparator.of(schema);
    }

    /** What {@link DataReader#verify()} returns: Cassandra, too, does without these components. */
    List<String> verify() throws IOException {
        List<String> listed = TableOfContents.verify(descriptor);
        List<String> notes = new ArrayList<>();
        if (!reader.hasChunkChecksums()) {
            notes.add("no CRC.db: blocks of the data have no checksums");
        }
        if (listed.contains(Component.DIGEST.fileSuffix())) {
            DataDigest.verify(descriptor);
        } else {
            notes.add("no Digest.crc32: the data as a whole has no checksum");
        }
        if (listed.contains(Component.FILTER.fileSuffix())) {
            filter = BloomFilter.read(descriptor, reader.version());
        } else if (reader.bloomFilterFpChance() < 1.0) {
            notes.add("no Filter.db: reads of a key look for it in the index");
        }
        if (!reader.partitioner().isOrderKnown()) {
            notes.add("no order of partitions is known: an index on a collection, written by Cassandra before 5.0");
        }
        Statistics.read(descriptor, reader.version(), schema.keyspace(), schema.name());
        StatisticsCheck statistics = new StatisticsCheck(
                descriptor.file(Component.STATISTICS), reader.statistics(), rowsAreCounted(reader.metadata()));
        try (IndexVerifier index = reader.index().verifier();
                DataCursor data = reader.scanAsWritten()) {
            FragmentKind kind;
            while ((kind = data.advance()) != null) {
                statistics.add(data, kind);
                check(data, kind, index);
            }
            index.end();
            statistics.end();
            notes.addAll(index.notes());
        }
        reader.requireColumnOrder();
        return notes;
    }

    /** An SSTable that was cut out of another still has the other's cells, and then an estimate of the rows. */
    private static boolean rowsAreCounted(SSTableMetadata metadata) {
        return metadata.cellsPerPartition().total()
                == metadata.partitionSizesBytes().total();
    }

    private void check(DataCursor data, FragmentKind kind, IndexVerifier index) throws IOException {
        try {
            switch (kind) {
                case PARTITION_START -> beginPartition(data, index);
                case STATIC_ROW -> checkCells(data, schema.staticColumns());
                case CLUSTERING_ROW -> {
                    checkOrder(data, data.row().clustering(), ClusteringComparator.AT, index);
                    checkCells(data, schema.regularColumns());
                }
                case RANGE_TOMBSTONE_CHANGE ->
                    checkOrder(
                            data,
                            data.rangeTombstoneChange().prefix(),
                            data.rangeTombstoneChange().weight(),
                            index);
                case PARTITION_END -> index.endPartition(data);
            }
        } catch (InvalidValueException | IndexOutOfBoundsException e) {
            throw corruptData(data, "value cannot be compared: " + e.getMessage(), e);
        }
    }

    private CorruptSSTableException corruptData(DataCursor data, String reason, Throwable cause) {
        return new CorruptSSTableException(descriptor.file(Component.DATA), data.dataPosition(), reason, cause);
    }

    private void beginPartition(DataCursor data, IndexVerifier index) throws IOException {
        KeyView key = data.key();
        index.beginPartition(data);
        if (filter != null && !filter.mayContain(key)) {
            throw new CorruptSSTableException(
                    descriptor.file(Component.FILTER),
                    CorruptSSTableException.NO_POSITION,
                    "filter does not hold the key, key=" + key.toDecoratedKey());
        }
        previous = null;
    }

    private void checkOrder(DataCursor data, Clustering place, int weight, IndexVerifier index) throws IOException {
        if (previous != null && comparator.compare(previous, previousWeight, place, weight) >= 0) {
            throw corruptData(data, "row out of order", null);
        }
        previous = place.copy();
        previousWeight = weight;
        index.fragment(data, place);
    }

    /** Cells of a many-celled column ascend by path. */
    private void checkCells(DataCursor data, List<Column> columns) throws IOException {
        Row row = data.row();
        for (int i = 1; i < row.entryCount(); i++) {
            if (row.columnIndex(i) != row.columnIndex(i - 1) || row.isComplexDeletion(i - 1)) {
                continue;
            }
            CqlType pathType = columns.get(row.columnIndex(i)).type().pathType();
            int order = pathType.compare(
                    row.pathBuffer(i - 1),
                    row.pathOffset(i - 1),
                    row.pathLengthBytes(i - 1),
                    row.pathBuffer(i),
                    row.pathOffset(i),
                    row.pathLengthBytes(i));
            if (order >= 0) {
                throw corruptData(data, "cell out of order, entry=" + i, null);
            }
        }
    }
}
