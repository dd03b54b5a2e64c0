package io.anneal.sstable.big;

import io.anneal.fragment.DeletionTime;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.InvalidValueException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.RowLookup;
import io.anneal.sstable.row.UnfilteredFlags;
import java.io.IOException;

/** Searches the promoted index of one partition by halves, over its table of offsets. Owned by one thread. */
final class BigRowLookup implements RowLookup {
    private final IndexCursor index;
    private final PromotedIndex blocks;
    private final ClusteringComparator comparator;

    private int block = -1;
    private long openMicros;
    private long openSeconds;

    BigRowLookup(IndexCursor index, PromotedIndex blocks, ClusteringComparator comparator) {
        this.index = index;
        this.blocks = blocks;
        this.comparator = comparator;
    }

    @Override
    public boolean seekFloor(Clustering prefix, int weight) throws IOException {
        int low = 0;
        int high = blocks.blockCount();
        while (low < high) {
            int middle = (low + high) >>> 1;
            blocks.seek(middle);
            if (compareFirst(prefix, weight) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return moveTo(low - 1);
    }

    private int compareFirst(Clustering prefix, int weight) throws CorruptSSTableException {
        try {
            return comparator.compare(blocks.first(), firstWeight(), prefix, weight);
        } catch (InvalidValueException | IndexOutOfBoundsException e) {
            throw index.corrupt("first clustering of a block cannot be compared: " + e.getMessage(), e);
        }
    }

    private int firstWeight() throws CorruptSSTableException {
        return switch (blocks.firstKind()) {
            case UnfilteredFlags.CLUSTERING -> ClusteringComparator.AT;
            case UnfilteredFlags.EXCL_END_BOUND,
                    UnfilteredFlags.INCL_START_BOUND,
                    UnfilteredFlags.EXCL_END_INCL_START_BOUNDARY -> ClusteringComparator.BEFORE;
            case UnfilteredFlags.INCL_END_EXCL_START_BOUNDARY,
                    UnfilteredFlags.INCL_END_BOUND,
                    UnfilteredFlags.EXCL_START_BOUND -> ClusteringComparator.AFTER;
            default -> throw corrupt("first place of the block has no known kind, kind=" + blocks.firstKind());
        };
    }

    @Override
    public boolean previous() throws IOException {
        return moveTo(Math.max(-1, block - 1));
    }

    @Override
    public boolean next() throws IOException {
        return block + 1 < blocks.blockCount() && moveTo(block + 1);
    }

    private boolean moveTo(int target) throws IOException {
        block = target;
        if (target < 0) {
            return false;
        }
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
        long begin = blocks.headerLengthBytes();
        if (target > 0) {
            blocks.seek(target - 1);
            openMicros = blocks.openMicros();
            openSeconds = blocks.openSeconds();
            begin = blocks.blockOffset() + blocks.blockWidth();
        }
        blocks.seek(target);
        if (blocks.blockOffset() != begin) {
            throw corrupt("block does not begin where what is before it ends, begin=" + blocks.blockOffset()
                    + ", expected=" + begin);
        }
        return true;
    }

    @Override
    public long partitionDeletionMicros() {
        return blocks.partitionDeletionMicros();
    }

    @Override
    public long partitionDeletionSeconds() {
        return blocks.partitionDeletionSeconds();
    }

    @Override
    public long blockPosition() {
        return blocks.blockOffset();
    }

    @Override
    public long openMicros() {
        return openMicros;
    }

    @Override
    public long openSeconds() {
        return openSeconds;
    }

    @Override
    public void requireFirst(Clustering prefix, int weight) throws CorruptSSTableException {
        if (blocks.first().compareBytes(prefix) != 0 || firstWeight() != weight) {
            throw corrupt("block of the promoted index does not begin so in the data");
        }
    }

    @Override
    public CorruptSSTableException corrupt(String reason) {
        return index.corrupt(reason + ", block=" + block, null);
    }
}
