package io.anneal.sstable.data;

import io.anneal.io.ByteReader;
import io.anneal.io.OutputFile;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.row.ClusteringCopy;
import io.anneal.sstable.row.RowEncoder;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;

/** Writes the index of one SSTable while its data is written. Owned by one thread. */
public interface IndexWriter extends Closeable {
    /** Opens the files of a new index. */
    interface Opener {
        IndexWriter open(StagedSSTable staged, OutputFile.Opener opener, TableSchema schema, SSTableWriterConfig config)
                throws IOException;
    }

    void startPartition();

    /**
     * Takes the row or range tombstone marker that was encoded last.
     *
     * @param encoded still holds the fragment's head
     * @param place of the fragment; valid until the next fragment or partition is added
     * @param position where it begins, from the partition's beginning
     * @param endPosition where it ends
     * @param openMicros of the range deletion that is open behind it, or none
     */
    void add(
            RowEncoder encoded,
            ClusteringCopy place,
            long position,
            long endPosition,
            long openMicros,
            long openLocalSeconds)
            throws IOException;

    /**
     * @param encoded still holds the head of the partition's last fragment
     * @param partitionPosition where the partition begins in the data
     * @param headerLengthBytes of key, partition deletion and static row
     * @param endPosition of the last fragment, from the partition's beginning; the end of the partition is a byte more
     */
    void endPartition(
            RowEncoder encoded,
            KeyView key,
            long partitionPosition,
            long headerLengthBytes,
            long deletionMicros,
            long deletionLocalSeconds,
            long endPosition)
            throws IOException;

    /**
     * Takes a partition that was copied, instead of {@link #startPartition()} to {@link #endPartition}.
     *
     * @param rowIndex as {@link PartitionLookup#copyRowIndex} gives it; the writer reads to its end
     * @throws io.anneal.sstable.row.MalformedRowException when it cannot be that of such a partition
     * @throws io.anneal.io.ByteUnderflowException when it ends too early
     */
    void addPartition(KeyView key, long partitionPosition, long lengthBytes, ByteReader rowIndex) throws IOException;

    /** Completes and syncs all files. */
    void finish() throws IOException;

    /** The components that {@link #finish} completes. */
    Set<Component> components();
}
