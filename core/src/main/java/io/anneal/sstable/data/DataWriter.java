package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.file.BloomFilterBuilder;
import io.anneal.sstable.file.ChunkCodec;
import io.anneal.sstable.file.CompressedDataFile;
import io.anneal.sstable.file.DataFile;
import io.anneal.sstable.file.PlainDataFile;
import io.anneal.sstable.row.ClusteringCopy;
import io.anneal.sstable.row.ClusteringEncoder;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.DeltaEncoder;
import io.anneal.sstable.row.RowEncoder;
import io.anneal.sstable.row.UnfilteredFlags;
import io.anneal.sstable.statistics.StatisticsCollector;
import io.anneal.sstable.statistics.StatisticsEncoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * Writes the data of an SSTable and everything that describes it; its index is the format's. Checks the grammar and the order of
 * what it is given: a fragment out of order is an {@link IllegalStateException}, a value that the version cannot hold an
 * {@link IllegalArgumentException} that names key and column; afterwards only {@link #close()} is allowed. Rows without
 * content and partitions without deletion and rows do not exist and are left out. Allocates nothing per row.
 */
public final class DataWriter implements FragmentWriter {
    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final TableSchema schema;
    private final SSTableWriterConfig config;
    private final DataFile data;
    private final IndexWriter index;
    private final ClusteringComparator comparator;
    private final RowEncoder rows;
    private final DeletionTimes deletions;
    private final StatisticsCollector statistics;
    private final BloomFilterBuilder filter;
    private final ByteWriter buffer = new ByteWriter(4096);
    private final ByteWriter keyBytes = new ByteWriter(256);
    private final KeyView key = new KeyView();
    private final ClusteringCopy firstPlace = new ClusteringCopy();
    private final ClusteringCopy lastPlace = new ClusteringCopy();

    private boolean hasKey;
    private boolean inPartition;
    private boolean headerWritten;
    private boolean hasPlace;
    private long deletionMicros;
    private long deletionLocalSeconds;
    private long openMicros;
    private long openLocalSeconds;
    private long partitionPosition;
    private long headerLength;
    private long previousPosition;
    private long partitionCount;
    private boolean failed;
    private boolean finished;
    private boolean closed;

    private DataWriter(
            StagedSSTable staged,
            OutputFile.Opener opener,
            TableSchema schema,
            SSTableWriterConfig config,
            DataFile data,
            IndexWriter index) {
        this.staged = staged;
        this.opener = opener;
        this.schema = schema;
        this.config = config;
        this.data = data;
        this.index = index;
        comparator = ClusteringComparator.of(schema);
        rows = new RowEncoder(schema, new DeltaEncoder(config.version(), config.base()));
        deletions = DeletionTimes.of(config.version());
        statistics = new StatisticsCollector(schema);
        double chance = schema.options().bloomFilterFpChance();
        filter = BloomFilterBuilder.isUseful(chance)
                ? new BloomFilterBuilder(config.expectedPartitions(), chance)
                : null;
    }

    /** What every format wants of a table's options. */
    public static void requireWritable(TableOptions options) {
        Compression compression = Compression.of(options);
        if (compression.compressor().isPresent()) {
            ChunkCodec.of(compression);
        }
        BloomFilterBuilder.requireChance(options.bloomFilterFpChance());
    }

    public static DataWriter open(
            Path directory,
            String generation,
            TableSchema schema,
            SSTableWriterConfig config,
            OutputFile.Opener opener,
            IndexWriter.Opener indexOpener)
            throws IOException {
        SSTableVersion version = config.version();
        Descriptor descriptor =
                new Descriptor(directory.toAbsolutePath(), version.text(), generation, version.format());
        if (Descriptor.of(descriptor.file(Component.DATA))
                .filter(descriptor::equals)
                .isEmpty()) {
            throw new IllegalArgumentException("generation cannot be part of a file name, generation=" + generation);
        }
        StagedSSTable staged = StagedSSTable.of(descriptor);
        DataFile data = null;
        IndexWriter index = null;
        boolean opened = false;
        try {
            data = config.compression().compressor().isPresent()
                    ? CompressedDataFile.open(staged, opener, config.compression())
                    : PlainDataFile.open(staged, opener);
            index = indexOpener.open(staged, opener, schema, config);
            DataWriter writer = new DataWriter(staged, opener, schema, config, data, index);
            opened = true;
            return writer;
        } finally {
            if (!opened) {
                closeAll(data, index);
                staged.discard();
            }
        }
    }

    private static void closeAll(DataFile data, IndexWriter index) throws IOException {
        try (data) {
            if (index != null) {
                index.close();
            }
        }
    }

    @Override
    public long dataLengthBytes() {
        return data.position();
    }

    @Override
    public void append(FragmentCursor cursor) throws IOException {
        while (advance(cursor)) {
            appendCurrent(cursor);
        }
    }

    private boolean advance(FragmentCursor cursor) throws IOException {
        boolean advanced = false;
        try {
            boolean more = cursor.advance() != null;
            advanced = true;
            return more;
        } finally {
            failed |= !advanced;
        }
    }

    @Override
    public void appendCurrent(FragmentCursor cursor) throws IOException {
        requireUsable();
        boolean appended = false;
        try {
            switch (cursor.kind()) {
                case PARTITION_START -> startPartition(cursor);
                case STATIC_ROW -> addStaticRow(cursor.row());
                case CLUSTERING_ROW -> addRow(cursor.row());
                case RANGE_TOMBSTONE_CHANGE -> addChange(cursor.rangeTombstoneChange());
                case PARTITION_END -> endPartition();
            }
            appended = true;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + facts(), e);
        } finally {
            failed |= !appended;
        }
    }

    private void requireUsable() {
        if (failed || finished || closed) {
            throw new IllegalStateException("writer takes nothing any more, failed=" + failed + ", finished=" + finished
                    + ", closed=" + closed + ", sstable=" + staged.descriptor());
        }
    }

    private IllegalStateException disorder(String what) {
        return new IllegalStateException(what + facts());
    }

    private String facts() {
        return ", table=" + schema.qualifiedName() + ", token=" + key.token() + ", key="
                + HexFormat.of().formatHex(key.buffer(), key.offset(), key.offset() + key.lengthBytes())
                + ", sstable=" + staged.descriptor();
    }

    private void startPartition(FragmentCursor cursor) {
        KeyView next = cursor.key();
        if (inPartition) {
            throw disorder("partition starts inside another");
        }
        if (hasKey && key.compareTo(next) >= 0) {
            throw disorder("partition out of order, nextToken=" + next.token() + ", nextKey="
                    + HexFormat.of().formatHex(next.buffer(), next.offset(), next.offset() + next.lengthBytes()));
        }
        keyBytes.clear();
        keyBytes.writeBytes(next.buffer(), next.offset(), next.lengthBytes());
        key.wrap(next.token(), keyBytes.array(), 0, keyBytes.lengthBytes());
        hasKey = true;
        if (key.lengthBytes() > ClusteringEncoder.SHORT_LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException("partition key is too long, lengthBytes=" + key.lengthBytes());
        }
        inPartition = true;
        headerWritten = false;
        hasPlace = false;
        deletionMicros = cursor.partitionDeletionTimestampMicros();
        deletionLocalSeconds = cursor.partitionDeletionLocalTimeSeconds();
        openMicros = DeletionTime.NO_TIMESTAMP;
        openLocalSeconds = DeletionTime.NO_DELETION_TIME;
    }

    private void addStaticRow(Row row) throws IOException {
        if (!inPartition || headerWritten || schema.staticColumns().isEmpty()) {
            throw disorder("static row at a place where none can be");
        }
        if (!row.isEmpty()) {
            writeHeader(row);
            statistics.add(row);
        }
    }

    private void writeHeader(Row staticRow) throws IOException {
        partitionPosition = data.position();
        buffer.clear();
        writeKey();
        deletions.write(deletionMicros, deletionLocalSeconds, buffer);
        data.write(buffer);
        if (!schema.staticColumns().isEmpty()) {
            if (staticRow == null) {
                rows.encodeEmptyStaticRow();
            } else {
                rows.encode(staticRow, 0);
            }
            writeEncoded();
        }
        headerLength = data.position() - partitionPosition;
        previousPosition = 0;
        headerWritten = true;
        index.startPartition();
    }

    private void writeKey() {
        buffer.writeShort(key.lengthBytes());
        buffer.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
    }

    private void writeEncoded() throws IOException {
        rows.writeTo(data);
    }

    private void addRow(Row row) throws IOException {
        if (row.isEmpty()) {
            return;
        }
        long position = startFragment(row.clustering(), ClusteringComparator.AT);
        rows.encode(row, position - previousPosition);
        endFragment(position);
        statistics.add(row);
    }

    private void addChange(RangeTombstoneChange change) throws IOException {
        boolean isOpen = !DeletionTime.isLive(openMicros, openLocalSeconds);
        if (change.timestampMicros() == openMicros && change.localDeletionTimeSeconds() == openLocalSeconds) {
            throw disorder("range tombstone change changes nothing");
        }
        long position = startFragment(change.prefix(), change.weight());
        rows.encode(change, openMicros, openLocalSeconds, position - previousPosition);
        if (isOpen) {
            statistics.addDeletion(openMicros, openLocalSeconds);
        }
        if (!change.isLive()) {
            statistics.addDeletion(change.timestampMicros(), change.localDeletionTimeSeconds());
        }
        openMicros = change.timestampMicros();
        openLocalSeconds = change.localDeletionTimeSeconds();
        endFragment(position);
    }

    /** Checks the order and returns where the fragment begins in the partition. */
    private long startFragment(Clustering clustering, int weight) throws IOException {
        if (!inPartition) {
            throw disorder("fragment outside of a partition");
        }
        if (hasPlace && comparator.compare(lastPlace.clustering(), lastPlace.weight(), clustering, weight) >= 0) {
            throw disorder("fragment out of order in its partition, previous=" + text(lastPlace.clustering())
                    + ", current=" + text(clustering));
        }
        if (!headerWritten) {
            writeHeader(null);
        }
        lastPlace.set(clustering, weight);
        if (!hasPlace) {
            hasPlace = true;
            firstPlace.set(lastPlace);
        }
        return data.position() - partitionPosition;
    }

    private String text(Clustering clustering) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < clustering.size(); i++) {
            text.append(i == 0 ? "" : ", ");
            text.append(
                    clustering.isAbsent(i)
                            ? "null"
                            : comparator
                                    .type(i)
                                    .toText(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i)));
        }
        return text.append(')').toString();
    }

    private void endFragment(long position) throws IOException {
        writeEncoded();
        previousPosition = position;
        index.add(rows, lastPlace, position, data.position() - partitionPosition, openMicros, openLocalSeconds);
    }

    private void endPartition() throws IOException {
        if (!inPartition) {
            throw disorder("partition ends that did not start");
        }
        if (!DeletionTime.isLive(openMicros, openLocalSeconds)) {
            throw disorder("range deletion is open at the end of its partition");
        }
        inPartition = false;
        boolean deleted = !DeletionTime.isLive(deletionMicros, deletionLocalSeconds);
        if (!headerWritten) {
            if (!deleted) {
                return;
            }
            writeHeader(null);
        }
        long endPosition = data.position() - partitionPosition;
        buffer.clear();
        buffer.writeByte(UnfilteredFlags.END_OF_PARTITION);
        data.write(buffer);
        if (deleted) {
            statistics.addPartitionDeletion(deletionMicros, deletionLocalSeconds);
        }
        if (hasPlace) {
            statistics.addClusterings(firstPlace, lastPlace);
        }
        statistics.endPartition(key, data.position() - partitionPosition);
        if (filter != null) {
            filter.add(key);
        }
        index.endPartition(
                rows, key, partitionPosition, headerLength, deletionMicros, deletionLocalSeconds, endPosition);
        partitionCount++;
    }

    @Override
    public Descriptor finish() throws IOException {
        requireUsable();
        if (inPartition) {
            throw disorder("writing ends inside a partition");
        }
        if (partitionCount == 0) {
            throw new IllegalStateException("an SSTable needs a partition, sstable=" + staged.descriptor());
        }
        failed = true;
        data.finish();
        index.finish();
        Set<Component> components = EnumSet.copyOf(data.components());
        components.addAll(index.components());
        if (filter != null) {
            filter.write(staged.file(Component.FILTER), opener);
            components.add(Component.FILTER);
        }
        new StatisticsEncoder(schema, config)
                .write(statistics, data.compressionRatio(), staged.file(Component.STATISTICS), opener);
        components.add(Component.STATISTICS);
        closeAll(data, index);
        staged.publish(components, opener);
        failed = false;
        finished = true;
        return staged.descriptor();
    }

    @Override
    public void close() throws IOException {
        if (closed || finished) {
            return;
        }
        closed = true;
        try {
            closeAll(data, index);
        } finally {
            staged.discard();
        }
    }
}
