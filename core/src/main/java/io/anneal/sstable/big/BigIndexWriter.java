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
    private static final int ENTRIES_BYTES = 16 * 1024;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final OutputFile file;
    private final PromotedIndexWriter promoted;
    private final SummaryBuilder summary;
    private final CopiedBlocks copied;
    /** What is not written to the file yet: calls for a few bytes each cost more than the bytes. */
    private final ByteWriter entries = new ByteWriter(ENTRIES_BYTES + 4096);

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
        promoted.write(headerLengthBytes, deletionMicros, deletionLocalSeconds, entries);
    }

    private void startEntry(KeyView key, long partitionPosition) throws IOException {
        if (entries.lengthBytes() >= ENTRIES_BYTES) {
            writeEntries();
        }
        summary.add(key.buffer(), key.offset(), key.lengthBytes(), file.position() + entries.lengthBytes());
        entries.writeShort(key.lengthBytes());
        entries.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
        entries.writeUnsignedVInt(partitionPosition);
    }

    private void writeEntries() throws IOException {
        file.write(entries);
        entries.clear();
    }

    /** {@inheritDoc} What it says counts from the partition's begin, so it stays as it is. */
    @Override
    public void addPartition(KeyView key, long partitionPosition, long lengthBytes, ByteReader rowIndex)
            throws IOException {
        int rowIndexBytes = rowIndex.remainingBytes();
        if (rowIndexBytes > 0) {
            writeEntries();
        }
        startEntry(key, partitionPosition);
        entries.writeUnsignedVInt(rowIndexBytes);
        if (rowIndexBytes > 0) {
            entries.writeBytes(rowIndex.array(), rowIndex.skip(rowIndexBytes), rowIndexBytes);
            copied.require(entries, lengthBytes);
        }
    }

    @Override
    public void finish() throws IOException {
        writeEntries();
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
