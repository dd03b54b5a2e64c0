package io.anneal.paging.query;

import io.anneal.io.BufferViews;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * One page: rows as items of the canonical encoding, and why it ended. A partition that a page begins within has its static row again
 * before its first row in the page, and not if it has no row there: a static row without rows in its partition is a partition that
 * has nothing else. Immutable by agreement: the buffers' bytes are shared and never written, positions are each reader's own.
 */
public final class Page {
    private final TableSchema schema;
    private final List<ByteBuffer> items;
    private final int rowCount;
    private final int tombstoneCount;
    private final StopReason stopReason;
    private final Optional<RingPosition> last;
    private final long nowSeconds;

    private Page(
            TableSchema schema,
            List<ByteBuffer> items,
            int rowCount,
            int tombstoneCount,
            StopReason stopReason,
            Optional<RingPosition> last,
            long nowSeconds) {
        this.schema = schema;
        this.items = BufferViews.list(List.copyOf(items));
        this.rowCount = rowCount;
        this.tombstoneCount = tombstoneCount;
        this.stopReason = stopReason;
        this.last = last;
        this.nowSeconds = nowSeconds;
    }

    /** The last page. */
    public static Page exhausted(
            TableSchema schema, List<ByteBuffer> items, int rowCount, int tombstoneCount, long nowSeconds) {
        return new Page(schema, items, rowCount, tombstoneCount, StopReason.EXHAUSTED, Optional.empty(), nowSeconds);
    }

    /** A page that another one follows, which goes on strictly behind {@code last}. */
    public static Page stopped(
            TableSchema schema,
            StopReason reason,
            RingPosition last,
            List<ByteBuffer> items,
            int rowCount,
            int tombstoneCount,
            long nowSeconds) {
        if (reason == StopReason.EXHAUSTED) {
            throw new IllegalArgumentException("a page that is the last has no place to go on");
        }
        return new Page(schema, items, rowCount, tombstoneCount, reason, Optional.of(last), nowSeconds);
    }

    /** By which the items are encoded: the table may be altered between two pages. */
    public TableSchema schema() {
        return schema;
    }

    /** Whole items, one after the other; an item does not go over the end of a buffer. */
    public List<ByteBuffer> items() {
        return items;
    }

    public int rowCount() {
        return rowCount;
    }

    public int tombstoneCount() {
        return tombstoneCount;
    }

    public StopReason stopReason() {
        return stopReason;
    }

    /** Where the next page goes on; empty after the last one. */
    public Optional<RingPosition> last() {
        return last;
    }

    /** What counted as expired when it was read, seconds since 1970. */
    public long nowSeconds() {
        return nowSeconds;
    }

    public long lengthBytes() {
        return items.stream().mapToLong(ByteBuffer::remaining).sum();
    }
}
