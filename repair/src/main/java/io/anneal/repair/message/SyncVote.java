package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;

/**
 * How far a replica has read: the last place in its row buffer, or the end when nothing more is to come.
 *
 * @param items rows and deletions in the buffer beyond the last boundary
 */
public record SyncVote(RingPosition last, long items) {
    public void encode(ByteWriter out) {
        last.encode(out);
        out.writeUnsignedVInt(items);
    }

    public static SyncVote decode(ByteReader in, int clusteringColumns) {
        return new SyncVote(RingPosition.decode(in, clusteringColumns), in.readUnsignedVInt());
    }
}
