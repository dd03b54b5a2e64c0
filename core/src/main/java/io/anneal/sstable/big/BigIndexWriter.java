package io.anneal.sstable.big;

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
import io.anneal.sstable.row.RowEncoder;
import java.io.IOException;
import java.util.Set;

/** Writes Index, with the block index of each large partition in it, and Summary. */
final class BigIndexWriter implements IndexWriter {
    private static final int BLOCK_SIZE_USUAL_BYTES = 64 * 1024;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final OutputFile file;
    private final PromotedIndexWriter promoted;
    private final SummaryBuilder summary;
    private final CopiedBlocks copied;
    private final ByteWriter entry = new ByteWriter(4096);

    private BigIndexWriter(
            StagedSSTable staged,
            OutputFile.Opener opener,
            OutputFile file,
            TableSchema schema,
            SSTableWriterConfig config) {
        this.staged = staged;
        this.opener = opener;
        this.file = file;
        promoted = new PromotedIndexWriter(config.version(), config.columnIndexSizeBytes(BLOCK_SIZE_USUAL_BYTES));
        copied = new CopiedBlocks(file.file(), schema, config.version());
        summary = new SummaryBuilder(schema.options().minIndexInterval());
    }

    static BigIndexWriter open(
            StagedSSTable staged, OutputFile.Opener opener, TableSchema schema, SSTableWriterConfig config)
            throws IOException {
        OutputFile file = OutputFile.open(staged.file(Component.INDEX), opener);
        return new BigIndexWriter(staged, opener, file, schema, config);
    }

    @Override
    public void startPartition() {
        promoted.startPartition();
    }

    @Override
    public void add(
            RowEncoder encoded,
            ClusteringCopy place,
            long position,
            long endPosition,
            long openMicros,
            long openLocalSeconds) {
        promoted.add(encoded, position, endPosition, openMicros, openLocalSeconds);
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
        promoted.endPartition(encoded, endPosition);
        startEntry(key, partitionPosition);
        promoted.write(headerLengthBytes, deletionMicros, deletionLocalSeconds, entry);
        file.write(entry);
    }

    private void startEntry(KeyView key, long partitionPosition) {
        summary.add(key.buffer(), key.offset(), key.lengthBytes(), file.position());
        entry.clear();
        entry.writeShort(key.lengthBytes());
        entry.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
        entry.writeUnsignedVInt(partitionPosition);
    }

    /** {@inheritDoc} What it says counts from the partition's begin, so it stays as it is. */
    @Override
    public void addPartition(KeyView key, long partitionPosition, long lengthBytes, ByteReader rowIndex)
            throws IOException {
        startEntry(key, partitionPosition);
        int rowIndexBytes = rowIndex.remainingBytes();
        entry.writeUnsignedVInt(rowIndexBytes);
        entry.writeBytes(rowIndex.array(), rowIndex.skip(rowIndexBytes), rowIndexBytes);
        if (rowIndexBytes > 0) {
            copied.require(entry, lengthBytes);
        }
        file.write(entry);
    }

    @Override
    public void finish() throws IOException {
        file.sync();
        summary.write(staged.file(Component.SUMMARY), opener);
    }

    @Override
    public Set<Component> components() {
        return Set.of(Component.INDEX, Component.SUMMARY);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
