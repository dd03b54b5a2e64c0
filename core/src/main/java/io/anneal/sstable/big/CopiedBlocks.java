package io.anneal.sstable.big;

import io.anneal.io.ByteWriter;
import io.anneal.key.Partitioner;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.file.ChunkSource;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.PrefixDecoder;
import java.io.IOException;
import java.nio.file.Path;

/** Looks whether a promoted index that came from elsewhere can be that of its partition. Owned by one thread. */
final class CopiedBlocks {
    private static final int END_OF_PARTITION_BYTES = 1;

    private final Path file;
    private final DeletionTimes deletions;
    private final PrefixDecoder prefixes;

    CopiedBlocks(Path file, TableSchema schema, SSTableVersion version) {
        this.file = file;
        deletions = DeletionTimes.of(version);
        prefixes =
                new PrefixDecoder(schema.clustering().stream().map(Column::type).toList());
    }

    /**
     * @param entry one entry of Index
     * @param partitionLengthBytes length of the partition in the data
     * @throws CorruptSSTableException when blocks do not follow one another from the first row to the partition's end
     */
    void require(ByteWriter entry, long partitionLengthBytes) throws IOException {
        IndexCursor index = IndexCursor.over(Partitioner.MURMUR3, new OneEntry(file, entry));
        if (!index.next()) {
            throw index.corrupt("entry is empty", null);
        }
        PromotedIndex blocks = PromotedIndex.of(index, deletions, prefixes);
        long end = blocks.headerLengthBytes();
        boolean follows = end > 0 && end < partitionLengthBytes;
        while (blocks.nextBlock()) {
            follows &= blocks.blockOffset() == end && blocks.blockWidth() <= partitionLengthBytes - end;
            end += blocks.blockWidth();
        }
        // Only a block that its size did not end takes in the end of the partition.
        if (!follows || end != partitionLengthBytes && end != partitionLengthBytes - END_OF_PARTITION_BYTES) {
            throw index.corrupt("blocks do not fill their partition, lengthBytes=" + partitionLengthBytes, null);
        }
    }

    /** An entry in memory. */
    private static final class OneEntry extends ChunkSource {
        private final ByteWriter entry;

        OneEntry(Path file, ByteWriter entry) {
            super(file, entry.lengthBytes(), entry.lengthBytes());
            this.entry = entry;
        }

        @Override
        public void readChunk(long chunk, byte[] target, int offset) {
            System.arraycopy(entry.array(), 0, target, offset, entry.lengthBytes());
        }
    }
}
