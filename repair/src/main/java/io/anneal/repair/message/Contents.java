package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;

/** Contents too small to be records: positions, ranges, phases and lists of hashes. */
public final class Contents {
    private Contents() {}

    public static void write(TokenRange.Linear part, ByteWriter out) {
        out.writeLong(part.first());
        out.writeLong(part.last());
    }

    public static TokenRange.Linear readRange(ByteReader in) {
        return new TokenRange.Linear(in.readLong(), in.readLong());
    }

    public static void write(TokenRange range, ByteWriter out) {
        out.writeLong(range.left());
        out.writeLong(range.right());
    }

    public static TokenRange readTokens(ByteReader in) {
        return new TokenRange(in.readLong(), in.readLong());
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
