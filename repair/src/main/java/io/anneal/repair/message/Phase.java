package io.anneal.repair.message;

import io.anneal.io.ByteReader;

/** The two halves of a window: deletions are exchanged before the rows that they would kill. */
public enum Phase {
    /** Partition deletions and intervals of range deletions. */
    DELETIONS,
    /** Static and clustering rows. */
    ROWS;

    static Phase decode(ByteReader in) {
        int code = in.readUnsignedByte();
        if (code >= values().length) {
            throw new IllegalArgumentException("phase is unknown, code=" + code);
        }
        return values()[code];
    }
}
