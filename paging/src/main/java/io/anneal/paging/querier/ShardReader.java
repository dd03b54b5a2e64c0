package io.anneal.paging.querier;

import io.anneal.fragment.EncodedItem;
import io.anneal.key.Clustering;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * A suspended read of one shard: its cursors, one block of items that it has encoded ahead, and maybe the next one. What a page
 * leaves of them is with the reader already when it is kept for the next page. Owned by one thread at a time, but for what is read
 * beside that thread until {@link #finish()}.
 */
final class ShardReader implements Closeable {
    /** Of a block of a reader that others may come before, so that little is read ahead of them. */
    static final int BLOCK_BYTES = 64 << 10;

    /** To wake a thread for less costs more than it gains. */
    private static final int BESIDE_MIN_BYTES = BLOCK_BYTES / 2;

    /** Of a reader without its blocks and cursors, and of the merge of those: counted in heap histograms. */
    private static final int OBJECTS_BYTES = 4 << 10;

    private final BlockReader blocks;
    private final EncodedItem item;
    /** What is taken from. */
    private Block block;
    /** What comes after it, once that is filled. */
    private Block next;

    private boolean isNextFilled;
    /** What fills it beside. */
    private Optional<ReadAhead.Task> filling = Optional.empty();

    private long heldBytes;
    private boolean isPageNew = true;
    private boolean isCharged = true;
    /** Whether the last item that was taken is followed by others of its partition in the block. */
    private boolean isCut;

    /** @param blocks nothing was read from; closed with this one */
    ShardReader(BlockReader blocks) {
        this.blocks = blocks;
        block = blocks.last();
        next = blocks.block();
        item = new EncodedItem(blocks.schema()).trusting();
    }

    /** Whether it can go on at a time: its table is what it was, and nothing that it holds has expired. */
    boolean isCurrentAt(long seconds) {
        return block.isFreshAt(seconds) && (!isNextFilled || next.isFreshAt(seconds)) && blocks.isCurrentAt(seconds);
    }

    TableSchema schema() {
        return blocks.schema();
    }

    /** Begins another page. */
    void beginPage(long seconds) {
        blocks.nowSeconds(seconds);
        isPageNew = true;
    }

    /** Whether there is nothing more, neither in the block nor after it. */
    boolean isExhausted() {
        return block.isLast() && block.isTaken();
    }

    /** Whether all of the block was taken. */
    boolean isTaken() {
        return block.isTaken();
    }

    /** Token of the next item, or below which there is none. */
    long token() {
        return block.token();
    }

    /** Token below which it has nothing after the block. */
    long endToken() {
        return block.endToken();
    }

    /** Rows that it has encoded and that were not taken. */
    int rowsAhead() {
        return block.rowsLeft() + (isNextFilled ? next.rowsLeft() : 0);
    }

    /** Bytes of them. */
    int bytesAhead() {
        return block.bytesLeft() + (isNextFilled ? next.bytesLeft() : 0);
    }

    /** Heap that it occupies, roughly, but for what is being read beside. */
    long heldBytes() {
        if (filling.isEmpty()) {
            heldBytes = OBJECTS_BYTES + blocks.heldBytes() + block.heldBytes() + next.heldBytes();
        }
        return heldBytes;
    }

    /** Bytes that are in memory and on disk for it alone. For any thread. */
    long obsoleteBytes() {
        return blocks.obsoleteBytes();
    }

    /** Whether the block after this one is neither there nor being read, and is likely to be worth another thread. */
    boolean lacksNext() {
        return !isNextFilled && filling.isEmpty() && !block.isLast() && block.lengthBytes() >= BESIDE_MIN_BYTES;
    }

    /**
     * Has the next block read beside, which is no larger than the rest of the page, if a core is free.
     *
     * @return whether one was
     */
    boolean fillBeside(ReadAhead beside, PageItems page) {
        assert lacksNext();
        heldBytes();
        Block into = next;
        BlockReader.Rest rest = page.rest(BLOCK_BYTES);
        filling = beside.start(() -> blocks.fill(into, rest));
        return filling.isPresent();
    }

    /** Waits for what is read beside, if it has begun. */
    void finish() throws IOException {
        if (filling.isPresent()) {
            ReadAhead.Task task = filling.get();
            filling = Optional.empty();
            isNextFilled = task.finish();
        }
    }

    /**
     * Goes on with the next block, which is no larger than the rest of the page if it is not there yet.
     *
     * @param blockBytes about which it is no larger
     */
    void fill(PageItems page, long blockBytes) throws IOException {
        assert block.isTaken() && !isExhausted();
        finish();
        if (!isNextFilled) {
            blocks.fill(next, page.rest(blockBytes));
        }
        isNextFilled = false;
        Block taken = block;
        block = next;
        next = taken;
        next.release();
        isCharged = false;
        isCut = false;
    }

    /**
     * Takes items out of the block.
     *
     * @param tokenEnd from which on another reader's partitions come first; if {@code hasEnd}
     */
    void take(PageItems page, boolean hasEnd, long tokenEnd) throws IOException {
        if (isPageNew) {
            isPageNew = false;
            if (block.isWithinPartition()) {
                page.addHead(block.head(item));
            }
        }
        isCut = block.take(page, hasEnd, tokenEnd, item);
    }

    /** Whether the page, or one before, knows what was passed while the block was read. */
    boolean isCharged() {
        return isCharged;
    }

    /** Counts what was passed while the block was read; all of it was taken. */
    void charge(PageItems page) {
        if (!isCharged) {
            isCharged = true;
            page.passed(block.passedTombstones(), block.passedRows());
        }
    }

    /** Whether the block ends at a place after which a reader could be opened anew. */
    boolean hasEndPlace() {
        return block.endPlace().isPresent();
    }

    /** Where the block ends: all before was taken or shows nothing. */
    RingPosition endPlace() {
        assert block.isTaken();
        return block.endPlace().orElseThrow();
    }

    /** Whether an item was taken from the block. */
    boolean hasTaken() {
        return block.hasTaken();
    }

    /** Place of the last item that was taken. */
    RingPosition takenPlace() throws IOException {
        if (!isCut) {
            return RingPosition.of(block.lastPartition(item).key().toDecoratedKey(), PositionInPartition.END);
        }
        Clustering clustering = new Clustering();
        item.readPosition(clustering);
        return RingPosition.of(item.key().toDecoratedKey(), PositionInPartition.at(clustering.copy()));
    }

    /** After {@link #finish()}, or when nothing was read beside. */
    @Override
    public void close() throws IOException {
        block.release();
        next.release();
        blocks.close();
    }
}
