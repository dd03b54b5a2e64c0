package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** Contents too small to be records: positions, ranges, phases and lists of hashes. */
public final class Contents {
    private Contents() {}

    /** Ranges in the order of the ring take few bytes: each has the distance from the one before, and its width. */
    public static void write(List<TokenRange> ranges, ByteWriter out) {
        out.writeUnsignedVInt(ranges.size());
        long last = Long.MIN_VALUE;
        for (TokenRange range : ranges) {
            out.writeUnsignedVInt(range.left() - last);
            out.writeUnsignedVInt(range.right() - range.left());
            last = range.right();
        }
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    public static List<TokenRange> readRanges(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<TokenRange> ranges = new ArrayList<>();
        long last = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            long left = last + in.readUnsignedVInt();
            last = left + in.readUnsignedVInt();
            ranges.add(new TokenRange(left, last));
        }
        return ranges;
    }

    public static void write(RingPosition boundary, ByteWriter out) {
        boundary.encode(out);
    }

    public static void write(Phase phase, ByteWriter out) {
        out.writeByte(phase.ordinal());
    }

    public static Phase readPhase(ByteReader in) {
        return Phase.decode(in);
    }

    public static void write(long[] hashes, ByteWriter out) {
        for (long hash : hashes) {
            out.writeLong(hash);
        }
    }

    /** All hashes that are left. */
    public static long[] readHashes(ByteReader in) {
        if (in.remainingBytes() % Long.BYTES != 0) {
            throw new IllegalArgumentException("list of hashes is cut short, lengthBytes=" + in.remainingBytes());
        }
        long[] hashes = new long[in.remainingBytes() / Long.BYTES];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = in.readLong();
        }
        return hashes;
    }
}
