package io.anneal.sstable.bti;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import java.io.IOException;
import java.util.Arrays;

/** Checks every entry of Partitions, every entry of Rows and every block of each. */
final class BtiIndexVerifier implements IndexVerifier {
    private final PartitionCursor partitions;
    private final RowsEntry rows;
    private final BlockCursor blocks;
    private final ComparableEncoder places;

    private long count;
    private long rowsEnd;
    private DecoratedKey firstKey;
    private DecoratedKey lastKey;
    private BlockCheck check;

    BtiIndexVerifier(DataReader reader, PartitionCursor partitions, RowsEntry rows) {
        this.partitions = partitions;
        this.rows = rows;
        blocks = new BlockCursor(rows.pages(), reader.version());
        places = ComparableEncoder.of(reader.headerSchema());
    }

    @Override
    public void beginPartition(DataCursor data) throws IOException {
        KeyView key = data.key();
        if (!(count == 0 ? partitions.first() : partitions.next())) {
            throw partitions.corrupt("index ends before the data, dataPosition=" + data.dataPosition());
        }
        count++;
        lastKey = key.toDecoratedKey();
        firstKey = firstKey == null ? lastKey : firstKey;
        if (!partitions.mayBe(key)) {
            throw partitions.corrupt(
                    "entry of the index is not the next partition, expected=" + lastKey + "@" + data.dataPosition());
        }
        check = null;
        if (partitions.isInRows()) {
            beginRows(data);
        } else if (partitions.dataPosition() != data.dataPosition()) {
            throw partitions.corrupt("position is not the partition's, found=" + partitions.dataPosition()
                    + ", expected=" + data.dataPosition());
        }
    }

    private void beginRows(DataCursor data) throws IOException {
        rows.read(partitions.rowsPosition());
        boolean agrees = rows.key().sameAs(data.key())
                && rows.dataPosition() == data.dataPosition()
                && rows.deletion().timestampMicros() == data.partitionDeletionTimestampMicros()
                && rows.deletion().localDeletionTimeSeconds() == data.partitionDeletionLocalTimeSeconds();
        if (!agrees || rows.root() < rowsEnd) {
            throw rows.corrupt("entry is not the partition's, expected=" + lastKey + "@" + data.dataPosition(), null);
        }
        rowsEnd = rows.endPosition();
        blocks.reset(rows.root());
        check = new BlockCheck(rows, blocks, places, data.dataPosition());
    }

    @Override
    public void fragment(DataCursor data, Clustering place) throws IOException {
        if (check != null) {
            check.accept(data, place);
        }
    }

    @Override
    public void endPartition(DataCursor data) throws IOException {
        if (check != null) {
            check.end(data);
        }
    }

    @Override
    public void end() throws IOException {
        if (count > 0 && partitions.next()) {
            throw partitions.corrupt("entry of the index is no partition's in the data");
        }
        PartitionsFooter footer = partitions.footer();
        if (footer.count() != count) {
            throw partitions.corrupt(
                    "number of partitions is not that in the data, found=" + footer.count() + ", expected=" + count);
        }
        if (firstKey != null
                && !(Arrays.equals(footer.firstKey(), firstKey.bytes())
                        && Arrays.equals(footer.lastKey(), lastKey.bytes()))) {
            throw partitions.corrupt("first or last key of the index is not the data's");
        }
        if (rowsEnd != rows.pages().lengthBytes()) {
            throw rows.pages().corrupt(rowsEnd, "bytes of Rows are no partition's in the data", null);
        }
    }

    @Override
    public void close() {
        // The files belong to the index.
    }

    /** Compares the blocks of one partition with its rows, as they come. */
    private static final class BlockCheck {
        private final RowsEntry rows;
        private final BlockCursor blocks;
        private final ComparableEncoder places;
        private final long partitionPosition;
        private ByteWriter place = new ByteWriter(64);
        private ByteWriter last = new ByteWriter(64);
        private int blockCount;
        private long openMicros = DeletionTime.NO_TIMESTAMP;
        private long openSeconds = DeletionTime.NO_DELETION_TIME;

        BlockCheck(RowsEntry rows, BlockCursor blocks, ComparableEncoder places, long partitionPosition)
                throws IOException {
            this.rows = rows;
            this.blocks = blocks;
            this.places = places;
            this.partitionPosition = partitionPosition;
            blocks.first();
        }

        void accept(DataCursor data, Clustering prefix) throws IOException {
            boolean change = data.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE;
            ByteWriter previous = last;
            last = place;
            place = previous;
            place.clear();
            int weight = change ? data.rangeTombstoneChange().weight() : ClusteringComparator.AT;
            places.writePlace(prefix, weight, place);
            boolean first = blockCount == 0;
            boolean begins = data.dataPosition() - partitionPosition == blocks.offset();
            require(begins || !first);
            if (begins) {
                require(blocks.compareTo(place) <= 0 && (first || blocks.compareTo(last) > 0) && isOpenDeletion());
                blockCount++;
                require(blocks.next());
            }
            if (change) {
                openMicros = data.rangeTombstoneChange().timestampMicros();
                openSeconds = data.rangeTombstoneChange().localDeletionTimeSeconds();
            }
        }

        private boolean isOpenDeletion() {
            return blocks.openMicros() == openMicros && blocks.openSeconds() == openSeconds;
        }

        void end(DataCursor data) throws IOException {
            require(blockCount == rows.blockCount()
                    && blocks.offset() == data.dataPosition() - partitionPosition
                    && isOpenDeletion()
                    && blocks.compareTo(place) > 0
                    && !blocks.next());
        }

        private void require(boolean agrees) throws CorruptSSTableException {
            if (!agrees) {
                throw blocks.corrupt(
                        "block of Rows does not agree with the data, block=" + blockCount + ", entryPosition="
                                + rows.position(),
                        null);
            }
        }
    }
}
