package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.data.RowLookup;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.DeletionTimes;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds places in the data through the tries. Neither file has checksums: what is found is a claim that the cursor checks
 * against the data. The trie holds only the beginnings of keys: the rest is in Rows, or else in the data, which is read here
 * only where nothing can be found without. Owned by one thread.
 */
final class BtiPartitionLookup implements PartitionLookup {
    private static final int END_OF_PARTITION_BYTES = 1;

    private final DataReader reader;
    private final BtiIndex index;
    private final TriePages partitionPages;
    private final PartitionCursor partitions;
    private final KeyView key = new KeyView();

    private RowsEntry rows;
    private BlockCursor blocks;
    private ComparableEncoder places;
    private DataWindow data;
    private boolean anySearch;
    private long foundPosition;
    private boolean isClosed;

    BtiPartitionLookup(DataReader reader, BtiIndex index) throws IOException {
        this.reader = reader;
        this.index = index;
        partitionPages = index.pages(Component.PARTITIONS);
        partitions = index.partitions(partitionPages);
    }

    /** {@inheritDoc} Without an entry in Rows it may be another key's, which the data at the found place tells. */
    @Override
    public boolean seek(KeyView wanted) throws IOException {
        anySearch = true;
        if (!partitions.seek(wanted)) {
            return false;
        }
        find();
        return !partitions.isInRows() || rows.key().sameAs(wanted);
    }

    @Override
    public boolean next() throws IOException {
        boolean any = anySearch ? partitions.next() : partitions.first();
        anySearch = true;
        if (any) {
            find();
        }
        return any;
    }

    @Override
    public Optional<DecoratedKey> key() {
        return partitions.isInRows() ? Optional.of(rows.key().toDecoratedKey()) : Optional.empty();
    }

    @Override
    public boolean seekLastBelow(long token) throws IOException {
        anySearch = true;
        if (!partitions.seekBelow(token)) {
            return false;
        }
        find();
        if (partitions.isOpen() && foundKey().token() >= token) {
            if (!partitions.previous()) {
                return false;
            }
            find();
        }
        return true;
    }

    /** {@inheritDoc} Believed only when Rows says of the partition that it ends there. */
    @Override
    public long seekAfter(KeyView wanted, long partitionPosition) throws IOException {
        anySearch = true;
        if (!partitions.seek(wanted) || !partitions.isInRows()) {
            return UNKNOWN;
        }
        find();
        if (foundPosition != partitionPosition || !rows.key().sameAs(wanted)) {
            return UNKNOWN;
        }
        BlockCursor last = blocks();
        last.last();
        long nextPosition = partitionPosition + last.offset() + END_OF_PARTITION_BYTES;
        if (!partitions.next()) {
            return nextPosition == reader.dataLengthBytes() ? nextPosition : UNKNOWN;
        }
        find();
        return foundPosition == nextPosition ? nextPosition : UNKNOWN;
    }

    /** Keeps the current entry as what was found. */
    private void find() throws IOException {
        if (partitions.isInRows()) {
            rowsEntry().read(partitions.rowsPosition());
            if (!partitions.mayBe(rows.key())) {
                throw partitions.corrupt("entry in Rows is of another key, rowsPosition=" + rows.position());
            }
            foundPosition = rows.dataPosition();
        } else {
            foundPosition = partitions.dataPosition();
        }
        if (foundPosition >= reader.dataLengthBytes()) {
            throw partitions.corrupt("partition lies behind the end of the data, dataPosition=" + foundPosition);
        }
    }

    private RowsEntry rowsEntry() throws IOException {
        if (rows == null) {
            rows = index.rows(index.pages(Component.ROWS));
        }
        return rows;
    }

    /** The key of what was found: that in Rows, or else that in the data, which has to agree with the trie. */
    private KeyView foundKey() throws IOException {
        if (partitions.isInRows()) {
            return rows.key();
        }
        if (data == null) {
            data = new DataWindow(reader.chunks());
        }
        data.seek(foundPosition);
        data.want(Short.BYTES);
        if (data.in().remainingBytes() < Short.BYTES) {
            throw notInData();
        }
        int lengthBytes = data.in().readUnsignedShort();
        data.want(lengthBytes);
        if (data.in().remainingBytes() < lengthBytes) {
            throw notInData();
        }
        int offset = data.in().skip(lengthBytes);
        byte[] array = data.in().array();
        key.wrap(reader.partitioner().token(array, offset, lengthBytes), array, offset, lengthBytes);
        requireMayBe(key);
        return key;
    }

    private void requireMayBe(KeyView found) throws CorruptSSTableException {
        if (!partitions.mayBe(found)) {
            throw notInData();
        }
    }

    private CorruptSSTableException notInData() {
        return partitions.corrupt("key is not at its position in the data, dataPosition=" + foundPosition);
    }

    @Override
    public Optional<RowLookup> rows() throws IOException {
        return partitions.isInRows() ? Optional.of(new BtiRowLookup(rows, blocks(), places)) : Optional.empty();
    }

    /** {@inheritDoc} The trie is written anew, since its nodes must not cross pages: here are its entries. */
    @Override
    public void copyRowIndex(ByteWriter out, int bytesMax) throws IOException {
        if (!partitions.isInRows()) {
            return;
        }
        int start = out.lengthBytes();
        DeletionTimes deletions = DeletionTimes.of(reader.version());
        deletions.write(rows.deletion().timestampMicros(), rows.deletion().localDeletionTimeSeconds(), out);
        out.writeUnsignedVInt(rows.blockCount());
        BlockCursor block = blocks();
        block.first();
        do {
            block.copySeparator(out);
        } while (out.lengthBytes() - start <= bytesMax && block.next());
        if (out.lengthBytes() - start > bytesMax) {
            out.truncate(start);
        }
    }

    private BlockCursor blocks() {
        if (blocks == null) {
            blocks = new BlockCursor(rows.pages(), reader.version());
            places = ComparableEncoder.of(reader.headerSchema());
        }
        blocks.reset(rows.root());
        return blocks;
    }

    @Override
    public long dataPosition() {
        return foundPosition;
    }

    @Override
    public void requireSame(byte[] buffer, int offset, int lengthBytes) throws CorruptSSTableException {
        key.wrap(reader.partitioner().token(buffer, offset, lengthBytes), buffer, offset, lengthBytes);
        if (partitions.isInRows() && !rows.key().sameAs(key)) {
            throw rows.corrupt("key is not at its position in the data, dataPosition=" + foundPosition, null);
        }
        requireMayBe(key);
    }

    @Override
    public long heldBytes() {
        long bytes =
                partitionPages.heldBytes() + (rows == null ? 0 : rows.pages().heldBytes());
        return data == null ? bytes : bytes + data.heldBytes();
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        index.giveBack(Component.PARTITIONS, partitionPages);
        if (rows != null) {
            index.giveBack(Component.ROWS, rows.pages());
        }
    }
}
