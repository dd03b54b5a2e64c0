package io.anneal.memtable;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;
import java.util.Arrays;

/**
 * The range deletions of a partition as steps: at each place the greatest deletion of all blocks, told where it changes. A
 * merge of few sorted lists. Owned by one thread.
 */
final class RangeSteps {
    private static final RangeBlock[] NO_BLOCKS = {};

    private final ClusteringComparator comparator;
    private final EncodedItem template;

    private RangeBlock[] blocks = NO_BLOCKS;
    private int blockCount;
    private boolean reversed;
    private long openMicros;
    private long openSeconds;

    RangeSteps(ClusteringComparator comparator, EncodedItem template) {
        this.comparator = comparator;
        this.template = template;
    }

    /** Forgets all blocks. */
    void clear() {
        blockCount = 0;
    }

    void add(byte[] slab, int offset) {
        if (blockCount == blocks.length) {
            blocks = Arrays.copyOf(blocks, blockCount + 1);
            blocks[blockCount] = new RangeBlock(comparator, template.trusting());
        }
        blocks[blockCount++].wrap(slab, offset);
    }

    /** Stands before the first step in the slice, in the direction of reading. */
    void seek(Slice slice, boolean reversedReading) throws CorruptItemException {
        reversed = reversedReading;
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
        for (int b = 0; b < blockCount; b++) {
            blocks[b].seek(slice, reversedReading);
        }
    }

    /** Fills in the next step; false when there is none. What {@code out} says is valid until the next call. */
    boolean next(RangeTombstoneChange out) throws CorruptItemException {
        while (true) {
            RangeBlock first = first();
            if (first == null) {
                assert DeletionTime.isLive(openMicros, openSeconds) : openMicros;
                return false;
            }
            out.prefix().wrap(first.prefix());
            out.weight(first.weight());
            passAll(out);
            long micros = DeletionTime.NO_TIMESTAMP;
            long seconds = DeletionTime.NO_DELETION_TIME;
            for (int b = 0; b < blockCount; b++) {
                RangeBlock block = blocks[b];
                if (block.isOpen()
                        && DeletionTime.supersedes(
                                block.timestampMicros(), block.localDeletionTimeSeconds(), micros, seconds)) {
                    micros = block.timestampMicros();
                    seconds = block.localDeletionTimeSeconds();
                }
            }
            if (micros != openMicros || seconds != openSeconds) {
                openMicros = micros;
                openSeconds = seconds;
                out.deletion(micros, seconds);
                return true;
            }
        }
    }

    private RangeBlock first() {
        RangeBlock first = null;
        for (int b = 0; b < blockCount; b++) {
            RangeBlock block = blocks[b];
            if (!block.isExhausted() && (first == null || compare(block, first) < 0)) {
                first = block;
            }
        }
        return first;
    }

    private int compare(RangeBlock left, RangeBlock right) {
        int order = comparator.compare(left.prefix(), left.weight(), right.prefix(), right.weight());
        return reversed ? -order : order;
    }

    /** Passes the bounds at the place: of one block there may be two, where intervals touch. */
    private void passAll(RangeTombstoneChange place) throws CorruptItemException {
        for (int b = 0; b < blockCount; b++) {
            RangeBlock block = blocks[b];
            while (!block.isExhausted()
                    && comparator.compare(block.prefix(), block.weight(), place.prefix(), place.weight()) == 0) {
                block.pass();
            }
        }
    }
}
