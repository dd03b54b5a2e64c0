package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.schema.InvalidValueException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.data.RowLookup;
import java.io.IOException;

/** Searches the blocks of one partition. Owned by one thread. */
final class BtiRowLookup implements RowLookup {
    private final RowsEntry entry;
    private final BlockCursor blocks;
    private final ComparableEncoder places;
    private final ByteWriter place = new ByteWriter(64);

    private boolean atBlock;

    BtiRowLookup(RowsEntry entry, BlockCursor blocks, ComparableEncoder places) {
        this.entry = entry;
        this.blocks = blocks;
        this.places = places;
    }

    @Override
    public boolean seekFloor(Clustering prefix, int weight) throws IOException {
        place.clear();
        places.writePlace(prefix, weight, place);
        // Behind all rows the last block is as good as any other.
        atBlock = blocks.seekFloor(place) && (!blocks.isEnd() || blocks.previous());
        return atBlock;
    }

    @Override
    public boolean previous() throws IOException {
        atBlock = atBlock && blocks.previous();
        return atBlock;
    }

    @Override
    public boolean next() throws IOException {
        if (!atBlock) {
            blocks.first();
            atBlock = true;
        } else if (!blocks.next()) {
            throw corrupt("blocks end without a separator behind them");
        } else if (blocks.isEnd()) {
            blocks.previous();
            return false;
        }
        return true;
    }

    @Override
    public long partitionDeletionMicros() {
        return entry.deletion().timestampMicros();
    }

    @Override
    public long partitionDeletionSeconds() {
        return entry.deletion().localDeletionTimeSeconds();
    }

    @Override
    public long blockPosition() {
        return blocks.offset();
    }

    @Override
    public long openMicros() {
        return blocks.openMicros();
    }

    @Override
    public long openSeconds() {
        return blocks.openSeconds();
    }

    @Override
    public void requireFirst(Clustering prefix, int weight) throws CorruptSSTableException {
        place.clear();
        try {
            places.writePlace(prefix, weight, place);
        } catch (InvalidValueException e) {
            throw blocks.corrupt("block begins with a place that is none: " + e.getMessage(), e);
        }
        if (blocks.compareTo(place) > 0) {
            throw corrupt("block begins before its separator in the data");
        }
    }

    @Override
    public CorruptSSTableException corrupt(String reason) {
        return blocks.corrupt(reason + ", blockPosition=" + blocks.offset(), null);
    }
}
