package io.anneal.sstable.bti;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.data.IndexWriter;
import io.anneal.sstable.row.ClusteringCopy;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.RowEncoder;
import java.io.IOException;
import java.util.Set;

/** Writes Partitions, and in Rows a trie and an entry of each partition that has more than one block. */
final class BtiIndexWriter implements IndexWriter {
    private static final int BLOCK_SIZE_USUAL_BYTES = 16 * 1024;
    private static final int END_OF_PARTITION_BYTES = 1;

    private final OutputFile partitionsFile;
    private final OutputFile rowsFile;
    private final DeletionTimes deletions;
    private final PartitionTrieWriter partitions;
    private final RowTrieWriter rows;
    private final ByteWriter entry = new ByteWriter(256);

    /** Of the fragment that was added last; the caller's. */
    private ClusteringCopy lastPlace;

    private BtiIndexWriter(
            OutputFile partitionsFile, OutputFile rowsFile, TableSchema schema, SSTableWriterConfig config) {
        this.partitionsFile = partitionsFile;
        this.rowsFile = rowsFile;
        partitions = new PartitionTrieWriter(partitionsFile, config.partitioner());
        deletions = DeletionTimes.of(config.version());
        rows = new RowTrieWriter(
                rowsFile, config.columnIndexSizeBytes(BLOCK_SIZE_USUAL_BYTES), ComparableEncoder.of(schema), deletions);
    }

    static BtiIndexWriter open(
            StagedSSTable staged, OutputFile.Opener opener, TableSchema schema, SSTableWriterConfig config)
            throws IOException {
        OutputFile partitionsFile = OutputFile.open(staged.file(Component.PARTITIONS), opener);
        OutputFile rowsFile = null;
        try {
            rowsFile = OutputFile.open(staged.file(Component.ROWS), opener);
            return new BtiIndexWriter(partitionsFile, rowsFile, schema, config);
        } finally {
            if (rowsFile == null) {
                partitionsFile.close();
            }
        }
    }

    @Override
    public void startPartition() {
        rows.startPartition();
    }

    @Override
    public void add(
            RowEncoder encoded,
            ClusteringCopy place,
            long position,
            long endPosition,
            long openMicros,
            long openLocalSeconds)
            throws IOException {
        lastPlace = place;
        rows.add(place.clustering(), place.weight(), position, endPosition, openMicros, openLocalSeconds);
    }

    @Override
    public void endPartition(
            RowEncoder encoded,
            KeyView key,
            long partitionPosition,
            long headerLengthBytes,
            long deletionMicros,
            long deletionLocalSeconds,
            long endPosition)
            throws IOException {
        long position = ~partitionPosition;
        if (rows.blockCount() > 1) {
            long root = rows.endPartition(lastPlace.clustering(), lastPlace.weight(), endPosition);
            position = rowsFile.position();
            writeEntry(key, partitionPosition, root, rows.blockCount(), deletionMicros, deletionLocalSeconds);
        }
        partitions.add(key, position);
    }

    @Override
    public void addPartition(KeyView key, long partitionPosition, long lengthBytes, ByteReader rowIndex)
            throws IOException {
        long position = ~partitionPosition;
        if (rowIndex.hasRemaining()) {
            deletions.read(rowIndex);
            long deletionMicros = deletions.timestampMicros();
            long deletionLocalSeconds = deletions.localDeletionTimeSeconds();
            int blockCount = rowIndex.readUnsignedVInt32();
            if (blockCount < 1 || blockCount > rowIndex.remainingBytes()) {
                throw new MalformedRowException("number of blocks is out of range, blocks=" + blockCount);
            }
            long root = rows.copy(rowIndex, blockCount, lengthBytes - END_OF_PARTITION_BYTES);
            position = rowsFile.position();
            writeEntry(key, partitionPosition, root, blockCount, deletionMicros, deletionLocalSeconds);
        }
        partitions.add(key, position);
    }

    private void writeEntry(
            KeyView key,
            long partitionPosition,
            long root,
            int blockCount,
            long deletionMicros,
            long deletionLocalSeconds)
            throws IOException {
        entry.clear();
        entry.writeShort(key.lengthBytes());
        entry.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
        long basePosition = rowsFile.position() + entry.lengthBytes();
        entry.writeUnsignedVInt(partitionPosition);
        entry.writeSignedVInt(root - basePosition);
        entry.writeUnsignedVInt(blockCount);
        deletions.write(deletionMicros, deletionLocalSeconds, entry);
        rowsFile.write(entry);
    }

    @Override
    public void finish() throws IOException {
        rowsFile.sync();
        partitions.finish();
    }

    @Override
    public Set<Component> components() {
        return Set.of(Component.PARTITIONS, Component.ROWS);
    }

    @Override
    public void close() throws IOException {
        try (partitionsFile) {
            rowsFile.close();
        }
    }
}
