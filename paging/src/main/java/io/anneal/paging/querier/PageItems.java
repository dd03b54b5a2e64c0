package io.anneal.paging.querier;

import io.anneal.key.RingPosition;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.StopReason;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A page that is being put together, and how much more it takes. Owned by one thread. */
final class PageItems {
    private final TableSchema schema;
    private final PageLimits limits;
    private final long nowSeconds;
    private final List<ByteBuffer> items = new ArrayList<>();
    private int rowCount;
    private long lengthBytes;
    private int tombstoneCount;
    private int filteredCount;
    /** Where the last stretch lies, so that what follows it there is one with it. */
    private byte[] lastArray;

    PageItems(TableSchema schema, PageLimits limits, long nowSeconds) {
        this.schema = schema;
        this.limits = limits;
        this.nowSeconds = nowSeconds;
    }

    TableSchema schema() {
        return schema;
    }

    PageLimits limits() {
        return limits;
    }

    void add(byte[] array, int offset, int length, int rows) {
        rowCount += rows;
        lengthBytes += length;
        if (length == 0) {
            return;
        }
        if (lastArray == array) {
            ByteBuffer last = items.get(items.size() - 1);
            if (last.limit() == offset) {
                last.limit(offset + length);
                return;
            }
        }
        lastArray = array;
        items.add(ByteBuffer.wrap(array, offset, length));
    }

    /** Deletion and static row of a partition that the page goes on with. They leave room for a row however long they are. */
    void addHead(ByteBuffer head) {
        if (head.hasRemaining()) {
            items.add(head);
            lastArray = null;
        }
    }

    long lengthBytes() {
        return lengthBytes;
    }

    void passed(int tombstones, int filtered) {
        tombstoneCount += tombstones;
        filteredCount += filtered;
    }

    int rowsLeft() {
        return limits.rows() - rowCount;
    }

    long bytesLeft() {
        return limits.bytes() - lengthBytes;
    }

    int tombstonesLeft() {
        return limits.tombstones() - tombstoneCount;
    }

    int filteredLeft() {
        return limits.filtered() - filteredCount;
    }

    /** What it takes yet, but for blocks that are larger than so many bytes. */
    BlockReader.Rest rest(long blockBytes) {
        return new BlockReader.Rest(rowsLeft(), Math.min(blockBytes, bytesLeft()), tombstonesLeft(), filteredLeft());
    }

    /** Why the page takes no more, if so. */
    Optional<StopReason> full() {
        if (rowsLeft() <= 0) {
            return Optional.of(StopReason.ROW_LIMIT);
        }
        if (bytesLeft() <= 0) {
            return Optional.of(StopReason.BYTE_LIMIT);
        }
        if (tombstonesLeft() <= 0) {
            return Optional.of(StopReason.TOMBSTONE_LIMIT);
        }
        return filteredLeft() <= 0 ? Optional.of(StopReason.FILTER_LIMIT) : Optional.empty();
    }

    Page stopped(RingPosition place) {
        return Page.stopped(schema, full().orElseThrow(), place, items, rowCount, tombstoneCount, nowSeconds);
    }

    Page exhausted() {
        return Page.exhausted(schema, items, rowCount, tombstoneCount, nowSeconds);
    }
}
