package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.EncodingBase;

/**
 * Writes timestamps, local deletion times and TTLs as unsigned variable-length differences to the base, and checks that
 * {@code nb} can hold them: 32-bit signed seconds of which the last value means "none".
 */
public final class DeltaEncoder {
    static final long LOCAL_DELETION_TIME_MAX_SECONDS = Integer.MAX_VALUE - 1;
    /** {@link DeletionTime#NO_DELETION_TIME} in {@code nb}. */
    static final int NO_DELETION_TIME = Integer.MAX_VALUE;

    private final EncodingBase base;

    DeltaEncoder(EncodingBase base) {
        this.base = base;
    }

    EncodingBase base() {
        return base;
    }

    void writeTimestamp(long timestampMicros, ByteWriter out) {
        out.writeUnsignedVInt(timestampMicros - base.timestampMicros());
    }

    /** A time before the base becomes a sign-extended, nine-byte number, as Cassandra reads and writes it. */
    void writeLocalDeletionTime(long localDeletionTimeSeconds, ByteWriter out) {
        out.writeUnsignedVInt(narrow(localDeletionTimeSeconds) - base.localDeletionTimeSeconds());
    }

    void writeTtl(int ttlSeconds, ByteWriter out) {
        if (ttlSeconds <= 0) {
            throw new IllegalArgumentException("TTL is not positive, ttlSeconds=" + ttlSeconds);
        }
        out.writeUnsignedVInt(ttlSeconds - base.ttlSeconds());
    }

    /** Writes a deletion, or none in the form of Cassandra 4; Cassandra 5 reads that as a deletion of nothing. */
    void writeDeletion(long timestampMicros, long localDeletionTimeSeconds, ByteWriter out) {
        writeTimestamp(timestampMicros, out);
        out.writeUnsignedVInt(narrowOrNone(localDeletionTimeSeconds) - base.localDeletionTimeSeconds());
    }

    /** The 32 bits of a local deletion time; {@link DeletionTime#NO_DELETION_TIME} is none. */
    public static int narrow(long localDeletionTimeSeconds) {
        if (localDeletionTimeSeconds < 0 || localDeletionTimeSeconds > LOCAL_DELETION_TIME_MAX_SECONDS) {
            throw new IllegalArgumentException("local deletion time does not fit format nb, localDeletionTimeSeconds="
                    + localDeletionTimeSeconds + ", max=" + LOCAL_DELETION_TIME_MAX_SECONDS);
        }
        return (int) localDeletionTimeSeconds;
    }

    public static int narrowOrNone(long localDeletionTimeSeconds) {
        return localDeletionTimeSeconds == DeletionTime.NO_DELETION_TIME
                ? NO_DELETION_TIME
                : narrow(localDeletionTimeSeconds);
    }
}
