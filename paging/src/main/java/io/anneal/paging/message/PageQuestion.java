package io.anneal.paging.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.RingPosition;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.util.Optional;
import java.util.UUID;

/**
 * Asks for a page, and for those after it. Layout: version, table, schema text, query id, flags (1: goes on after a place, 2: stateful), query, place if there is
 * one, limits (rows, bytes, tombstones, filtered rows), rows that are wanted in all, seconds of now.
 */
public final class PageQuestion {
    private static final int GOES_ON = 1;
    private static final int STATEFUL = 2;

    private PageQuestion() {}

    /** @param schemaText of the table as the asker knows it */
    public static byte[] encode(TableName table, String schemaText, PageRequest request) {
        ByteWriter out = new ByteWriter(256);
        out.writeByte(PagingWire.VERSION);
        table.encode(out);
        Texts.write(out, schemaText);
        Texts.write(out, request.queryId());
        out.writeByte((request.after().isPresent() ? GOES_ON : 0) | (request.stateful() ? STATEFUL : 0));
        request.query().encode(out);
        request.after().ifPresent(place -> place.encode(out));
        PageLimits limits = request.limits();
        out.writeUnsignedVInt(limits.rows());
        out.writeUnsignedVInt(limits.bytes());
        out.writeUnsignedVInt(limits.tombstones());
        out.writeUnsignedVInt(limits.filtered());
        out.writeUnsignedVInt(request.rowsWanted());
        out.writeLong(request.nowSeconds());
        return out.toByteArray();
    }

    /**
     * What comes after the schema text; trusts nothing.
     *
     * @throws io.anneal.io.ByteUnderflowException when a length runs over the end
     * @throws IllegalArgumentException when it is no question, or none that fits the table
     */
    public static PageRequest decode(ByteReader in, TableSchema schema) {
        UUID queryId = Texts.readId(in);
        int flags = in.readUnsignedByte();
        if ((flags & ~(GOES_ON | STATEFUL)) != 0) {
            throw new IllegalArgumentException("flags of a page are unknown, flags=" + flags);
        }
        ReadQuery query = ReadQuery.decode(in, schema);
        Optional<RingPosition> after = (flags & GOES_ON) == 0
                ? Optional.empty()
                : Optional.of(RingPosition.decode(in, PagingWire.COMPONENTS_MAX));
        PageLimits limits = new PageLimits(
                in.readUnsignedVInt32(), in.readUnsignedVInt(), in.readUnsignedVInt32(), in.readUnsignedVInt32());
        long rowsWanted = in.readUnsignedVInt();
        long nowSeconds = in.readLong();
        if (in.hasRemaining()) {
            throw new IllegalArgumentException("bytes stand behind the question, count=" + in.remainingBytes());
        }
        return new PageRequest(queryId, query, after, limits, rowsWanted, nowSeconds, (flags & STATEFUL) != 0);
    }
}
