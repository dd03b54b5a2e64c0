package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;

/**
 * Combined hashes of a window: one for its deletions, one for its rows.
 *
 * @param hasGhosts whether purging hides something of the window, so that what is pushed may be answered with it; also where
 *     the replica is not sure
 */
public record WindowSummary(Sum deletions, Sum rows, boolean hasGhosts) {
    /** Sum modulo 2^128 of the items' full hashes, and their number. */
    public record Sum(long count, long high, long low) {
        public static final Sum NOTHING = new Sum(0, 0, 0);
    }

    public void encode(ByteWriter out) {
        encode(deletions, out);
        encode(rows, out);
        out.writeByte(hasGhosts ? 1 : 0);
    }

    /** A sum of nothing is one byte: it is what most windows have of deletions. */
    private static void encode(Sum sum, ByteWriter out) {
        out.writeUnsignedVInt(sum.count);
        if (sum.count != 0) {
            out.writeLong(sum.high);
            out.writeLong(sum.low);
        }
    }

    public static WindowSummary decode(ByteReader in) {
        return new WindowSummary(decodeSum(in), decodeSum(in), in.readByte() != 0);
    }

    private static Sum decodeSum(ByteReader in) {
        long count = in.readUnsignedVInt();
        return count == 0 ? Sum.NOTHING : new Sum(count, in.readLong(), in.readLong());
    }

    public Sum of(Phase phase) {
        return phase == Phase.DELETIONS ? deletions : rows;
    }
}
