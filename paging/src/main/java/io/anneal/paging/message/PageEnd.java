package io.anneal.paging.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.StopReason;
import java.util.Optional;

/**
 * Why a page ends, where, and what it counts. Layout: number of the reason, rows, tombstones, seconds of now, and the place unless
 * nothing is left.
 *
 * @param last where the next page goes on; empty when nothing is left
 */
public record PageEnd(
        StopReason reason, int rowCount, int tombstoneCount, long nowSeconds, Optional<RingPosition> last) {
    public static byte[] encode(Page page) {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(page.stopReason().ordinal());
        out.writeUnsignedVInt(page.rowCount());
        out.writeUnsignedVInt(page.tombstoneCount());
        out.writeLong(page.nowSeconds());
        page.last().ifPresent(place -> place.encode(out));
        return out.toByteArray();
    }

    /**
     * Reads it, and leaves what stands behind it. Trusts nothing.
     *
     * @throws io.anneal.io.ByteUnderflowException when a length runs over the end
     * @throws IllegalArgumentException when it is no end of a page
     */
    public static PageEnd decode(ByteReader in) {
        int number = in.readUnsignedByte();
        StopReason[] reasons = StopReason.values();
        if (number >= reasons.length) {
            throw new IllegalArgumentException("page ended for no known reason, number=" + number);
        }
        int rowCount = in.readUnsignedVInt32();
        int tombstoneCount = in.readUnsignedVInt32();
        if (rowCount < 0 || tombstoneCount < 0) {
            throw new IllegalArgumentException("page counts less than nothing");
        }
        long nowSeconds = in.readLong();
        Optional<RingPosition> last = reasons[number] == StopReason.EXHAUSTED
                ? Optional.empty()
                : Optional.of(RingPosition.decode(in, PagingWire.COMPONENTS_MAX));
        return new PageEnd(reasons[number], rowCount, tombstoneCount, nowSeconds, last);
    }
}
